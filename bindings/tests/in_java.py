"""The jar on a class path with nothing but JNA."""
import pathlib

from common import absent, check_backend_length, clean_environment, only, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "bindings/java"
JNA = pathlib.Path("/usr/share/java/jna.jar")


def missing():
    return absent("javac", "java") + ([] if JNA.exists() else ["libjna-java"])


class Installed:
    readme = HERE / "README.md"
    fence = "java"

    def __init__(self, packages, work):
        self.work = work
        (work / "classes").mkdir()
        self.path = f"{only(packages, 'libspv-*.jar')}:{JNA}:{work}/classes"
        # JNA unpacks the library there; on one heap size, memory can be compared.
        self.java = ["java", f"-Djava.io.tmpdir={work}", f"-Djna.tmpdir={work}", "-Xms64m", "-Xmx64m",
                     "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", self.path]
        run("javac", "-Xlint:all", "-Werror", "-cp", self.path, "-d", work / "classes", *(HERE / "tests").glob("*.java"),
            HERE / "examples/PaymentsBackend.java")

    def test(self, declared):
        run(*self.java, "org.spv.LibspvTest", declared.with_suffix(".tsv"), HERE / "src/org/spv",
            env=clean_environment(LC_ALL="C"))

    def backend(self):
        check_backend_length(HERE / "examples/PaymentsBackend.java")
        return [*self.java, "PaymentsBackend"]

    def check_signer(self, data_dir):
        run(*self.java, "org.spv.SignerTest", data_dir)

    def tour(self, code):
        (self.work / "Shop.java").write_text(code, encoding="utf-8")
        return [*self.java, self.work / "Shop.java"]


install = Installed
