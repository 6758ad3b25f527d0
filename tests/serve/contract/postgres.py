"""A private PostgreSQL cluster on a Unix socket, as tests/support/postgres_cluster.cpp makes one."""
import os
import pathlib
import pwd
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import urllib.parse


def programs():
    """Where initdb and postgres are; None without them."""
    found = subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True, check=False).stdout.strip() \
        if shutil.which("pg_config") else ""
    for folder in (found, "/usr/lib/postgresql/15/bin"):
        if folder and all(os.access(f"{folder}/{name}", os.X_OK) for name in ("initdb", "postgres", "psql")):
            return folder
    return None


def server_user():
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            pass
    raise RuntimeError("PostgreSQL does not run as root, and there is no user for it")


class Cluster:
    """Use it as a context. It ends with this process, however that ends."""

    def __init__(self):
        # In /tmp: the path of a socket is short, and the server's user must get there.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="spv-test-", dir="/tmp"))
        self.process = None
        self.count = 0
        self.null = None
        if os.geteuid() == 0:
            user = server_user()
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            if os.stat("/dev/null").st_mode & 0o006 != 0o006:
                self.null = self.folder / "null"
                os.mknod(self.null, stat.S_IFCHR | 0o666, os.makedev(1, 3))
                os.chmod(self.null, 0o666)

    def as_user(self, *command):
        words = ["setpriv", "--pdeathsig", "QUIT"]
        if os.geteuid() == 0:
            user = server_user()
            words += ["--reuid", str(user.pw_uid), "--regid", str(user.pw_gid), "--clear-groups"]
        words += command
        if self.null:
            bound = 'mount --bind "$0" /dev/null && exec "$@"'
            words = ["unshare", "--mount", "sh", "-c", bound, str(self.null), *words]
        return words

    def __enter__(self):
        try:
            made = subprocess.run(self.as_user(f"{programs()}/initdb", f"--pgdata={self.folder}/data", "--username=spv",
                                               "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions",
                                               "--auth=trust"), capture_output=True, text=True, cwd="/", check=False)
            if made.returncode != 0:
                raise RuntimeError(f"initdb failed: {made.stdout}{made.stderr}")
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        settings = ["listen_addresses=", "max_connections=100", "shared_buffers=16MB",
                    "dynamic_shared_memory_type=mmap", "log_min_messages=warning",
                    "unix_socket_permissions=0777", "max_wal_size=256MB", "fsync=off"]
        words = [f"{programs()}/postgres", "-D", f"{self.folder}/data", "-k", str(self.folder)]
        for each in settings:
            words += ["-c", each]
        with open(self.folder / "server.log", "ab") as log:
            self.process = subprocess.Popen(self.as_user(*words), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            cwd="/")
        deadline = time.monotonic() + 60
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("PostgreSQL did not start: " + (self.folder / "server.log").read_text())
            time.sleep(0.05)

    def answers(self):
        try:
            self.sql("postgres", "SELECT 1")
            return True
        except RuntimeError:
            return False

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(30)

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, database, statement):
        result = subprocess.run([f"{programs()}/psql", "-h", str(self.folder), "-U", "spv", "-d", database, "-XAtqc",
                                 statement], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise RuntimeError(result.stderr)
        return result.stdout.strip()

    def new_database(self):
        """The URL of an empty database."""
        self.count += 1
        self.sql("postgres", f"CREATE DATABASE test{self.count}")
        return f"postgresql://spv@{urllib.parse.quote(str(self.folder), safe='')}/test{self.count}"
