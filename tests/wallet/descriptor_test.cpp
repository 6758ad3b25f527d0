#include "wallet/descriptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/vectors.h"
#include "wallet/address.h"
#include "wallet/script.h"

namespace spv::wallet {
namespace {

using chain::Network;
using chain::params;
using testing::HasSubstr;
using testing::Not;

util::Bytes hex(std::string_view text) { return test::hex(text); }

constexpr std::string_view kXpub =
    "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V";
constexpr std::string_view kXprv =
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi";
constexpr std::string_view kWif = "L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1";
constexpr std::string_view kKey = "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd";

std::string with(std::string_view before, std::string_view key, std::string_view after) {
  return std::string(before) + std::string(key) + std::string(after);
}

std::vector<Descriptor> parsed(const std::string& text, Network network = Network::Main) {
  auto descriptors = Descriptor::parse(text, params(network));
  EXPECT_TRUE(descriptors) << text << ": " << (descriptors ? "" : descriptors.error().message);
  return descriptors ? *descriptors : std::vector<Descriptor>{};
}

Descriptor one(const std::string& text, Network network = Network::Main) {
  const auto descriptors = parsed(text, network);
  EXPECT_EQ(descriptors.size(), 1U) << text;
  return descriptors.at(0);
}

std::string refused(const std::string& text, Network network = Network::Main) {
  const auto descriptors = Descriptor::parse(text, params(network));
  EXPECT_FALSE(descriptors) << text;
  return descriptors ? std::string() : descriptors.error().message;
}

std::string address_at(const Descriptor& descriptor, std::uint32_t index, Network network = Network::Main) {
  return address_of_script(descriptor.script_at(index).value(), params(network)).value_or("");
}

TEST(Descriptor, ChecksumIsTheOneOfBip380) {
  EXPECT_EQ(descriptor_checksum("raw(deadbeef)"), "89f8spxm");
  EXPECT_EQ(descriptor_checksum("raw(\xC3\x9C)"), "");
}

TEST(Descriptor, AWrongChecksumSaysWhichWouldBeRight) {
  const auto message = refused("raw(deadbeef)#89f8spxn");
  EXPECT_THAT(message, HasSubstr("89f8spxn"));
  EXPECT_THAT(message, HasSubstr("89f8spxm"));
  EXPECT_THAT(refused("raw(deadbeef)#89f8"), HasSubstr("8 characters, not 4"));
  EXPECT_THAT(refused("raw(deadbeef)##9f8spxm"), HasSubstr("more than one '#'"));
  EXPECT_THAT(refused("raw(deadbeef)#"), HasSubstr("not 0"));
}

TEST(Descriptor, EachFunctionGivesItsScript) {
  EXPECT_EQ(one(with("pk(", kKey, ")")).script_at(0), hex(with("21", kKey, "ac")));
  EXPECT_EQ(address_at(one(with("pkh(", kKey, ")")), 0), "1F3sAm6ZtwLAUnj7d38pGFxtP3RVEvtsbV");
  EXPECT_EQ(address_at(one("wpkh(02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9)"), 0),
            "bc1q0ht9tyks4vh7p5p904t340cr9nvahy7u3re7zg");
  EXPECT_EQ(address_at(one(with("sh(wpkh(", kKey, "))")), 0), "3DnW8JGpPViEZdpqat8qky1zc26EKbXnmM");
  EXPECT_EQ(address_at(one(with("sh(pk(", kKey, "))")), 0), "33ujBbb4DuSCh4kn6tYthaeyP37SgBipug");
  EXPECT_EQ(one("tr(d6889cb081036e0faefa3a35157ad71086b123b2b144b649798b494c300a961d)").script_at(0),
            hex("512053a1f6e454df1aa2776a2814a721372d6258050de330b3c6d10ee8f4e0dda343"));
  EXPECT_EQ(
      address_at(one("wsh(multi(2,03a0434d9e47f3c86235477c7b1ae6ae5d3442d49b1943c2b752a68e2a47e247c7,03774ae7f858a941"
                     "1e5ef4246b70c65aac5649980be5c17891bbec17895da008cb,03d01115d548e7561b15c38f004d734633687cf4419620"
                     "095bc5b0f47070afe85a))"),
                 0),
      "bc1qwu7hp9vckakyuw6htsy244qxtztrlyez4l7qlrpg68v6drgvj39qn4zazc");
  EXPECT_EQ(one("raw(6a0401020304)").script_at(0), hex("6a0401020304"));
  EXPECT_EQ(one("addr(1F3sAm6ZtwLAUnj7d38pGFxtP3RVEvtsbV)").script_at(0), one(with("pkh(", kKey, ")")).script_at(0));
}

TEST(Descriptor, SortedMultiDoesNotCareForTheOrder) {
  const std::string a = "02ff12471208c14bd580709cb2358d98975247d8765f92bc25eab3b2763ed605f8";
  const std::string b = "02fe6f0a5a297eb38c391581c4413e084773ea23954d93f7753db7dc0adc188b2f";
  EXPECT_EQ(address_at(one("sh(sortedmulti(2," + a + "," + b + "))", Network::Regtest), 0, Network::Regtest),
            "2N19tNw3Ss4L9QDERtCw7FhXb6jBsYmeXNu");
  EXPECT_EQ(one("sh(sortedmulti(2," + a + "," + b + "))").script_at(0),
            one("sh(multi(2," + b + "," + a + "))").script_at(0));
  EXPECT_NE(one("sh(multi(2," + a + "," + b + "))").script_at(0), one("sh(multi(2," + b + "," + a + "))").script_at(0));
}

TEST(Descriptor, MultipathGivesOneDescriptorForEachAlternative) {
  const auto both = parsed(with("wpkh([73c5da0a/84h/0h/0h]", kXpub, "/<0;1>/*)"));
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(address_at(both[0], 0), "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu");
  EXPECT_EQ(address_at(both[1], 0), "bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el");
  EXPECT_TRUE(both[0].is_ranged());
  EXPECT_EQ(both[1].path_at(9), "m/84'/0'/0'/1/9");
  const std::string key(kXpub);
  EXPECT_EQ(parsed("wsh(multi(1," + key + "/<0;1;2>/*," + key + "/5/*))").size(), 3U);
  EXPECT_THAT(refused("wsh(multi(1," + key + "/<0;1;2>/*," + key + "/<0;1>/*))"), HasSubstr("same number"));
  EXPECT_THAT(refused("wpkh(" + key + "/<0;1>/<0;1>/*)"), HasSubstr("more than one multipath"));
  EXPECT_THAT(refused("wpkh(" + key + "/<0>/*)"), HasSubstr("at least two"));
  EXPECT_THAT(refused("wpkh(" + key + "/<0;0>/*)"), HasSubstr("twice"));
  EXPECT_THAT(refused("wpkh(" + key + "/<0;1/*)"), HasSubstr("closing '>'"));
}

TEST(Descriptor, PrintsCanonically) {
  EXPECT_EQ(one("pkh([DEADBEEF/1/2'/3/4h]" + std::string(kKey) + ")").to_string(),
            "pkh([deadbeef/1/2h/3/4h]" + std::string(kKey) + ")#v6qyyr0g");
  EXPECT_EQ(one("addr(BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4)").to_string().substr(0, 48),
            "addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4)");
}

TEST(Descriptor, PathIsEmptyWithoutAnOrigin) {
  EXPECT_EQ(one(with("wpkh(", kXpub, "/0/*)")).path_at(3), "");
  EXPECT_EQ(one("raw(51)").path_at(0), "");
  EXPECT_EQ(one(with("wpkh([73c5da0a]", kXpub, "/0/*)")).path_at(3), "m/0/3");
}

TEST(Descriptor, W16_TheLastIndexIsDerived) {
  const auto descriptor = one(with("wpkh(", kXpub, "/0/*)"));
  const auto fixed = one(with("wpkh(", kXpub, "/0/2147483647)"));
  EXPECT_EQ(descriptor.script_at(2147483647), fixed.script_at(0));
  EXPECT_FALSE(fixed.is_ranged());
}

TEST(Descriptor, PrivateKeysAreNeverKept) {
  for (const std::string& text : {with("wpkh(", kXprv, "/84'/0'/0'/0/*)"), with("wpkh(", kWif, ")")}) {
    const auto printed = one(text).to_string();
    EXPECT_THAT(printed, Not(HasSubstr("prv")));
    EXPECT_THAT(printed, Not(HasSubstr(std::string(kWif))));
  }
}

TEST(Descriptor, HardenedStepsOfAPrivateKeyMoveIntoTheOrigin) {
  const auto descriptor = one(with("wpkh(", kXprv, "/84'/0'/0'/0/*)"));
  EXPECT_TRUE(descriptor.to_string().starts_with("wpkh([3442193e/84'/0'/0']xpub6C"));
  EXPECT_EQ(descriptor.path_at(4), "m/84'/0'/0'/0/4");
  const auto again = one(descriptor.to_string());
  EXPECT_EQ(again.script_at(4), descriptor.script_at(4));
  // Without hardened steps the key stays where it is, and only its form changes.
  EXPECT_TRUE(one(with("wpkh(", kXprv, "/0/*)")).to_string().starts_with("wpkh(xpub661MyMwAqRbcFtXgS5sYJ"));
}

TEST(Descriptor, W12_ErrorsSayWhatToDo) {
  EXPECT_THAT(refused(with("wpkh(", kXpub, "/0'/*)")),
              HasSubstr("hardened derivation from a public key is impossible"));
  EXPECT_THAT(refused(with("wpkh(", kXprv, "/0/*')")), HasSubstr("hardened wildcard"));
  EXPECT_THAT(refused(with("wpkh(", kXpub, "/0/*)"), Network::Regtest), HasSubstr("tpub"));
  EXPECT_THAT(refused(with("combo(", kKey, ")")), HasSubstr("combo() is not supported"));
  EXPECT_THAT(refused(with("tr(", kKey, ",pk(02))")), HasSubstr("script tree is not supported"));
  EXPECT_THAT(refused(with("wsh(and_v(v:pk(", kKey, "),older(5)))")), HasSubstr("miniscript"));
  EXPECT_THAT(refused(with("sh(sh(pk(", kKey, ")))")), HasSubstr("sh() is not allowed inside sh()"));
  EXPECT_THAT(refused(with("wsh(wpkh(", kKey, "))")), HasSubstr("wpkh() is not allowed inside wsh()"));
  EXPECT_THAT(refused("wpkh()"), HasSubstr("key is missing"));
  EXPECT_THAT(refused("wpkh(nonsense)"), HasSubstr("\"nonsense\" is not a key: give a public key in hex"));
  EXPECT_THAT(refused("multi(1,nonsense)"), HasSubstr("\"nonsense\" is not a key"));
  EXPECT_THAT(refused("wpkh(xpubnonsense)"), HasSubstr("extended key"));
  EXPECT_THAT(refused("pkh(1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2)"), HasSubstr("is an address, not a key: use addr("));
  EXPECT_THAT(refused("pk"), HasSubstr("not a supported descriptor function"));
  EXPECT_THAT(refused(with("pkh(", kKey, ")x")), HasSubstr("')'"));
  EXPECT_THAT(refused("wpkh(5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss)"), HasSubstr("uncompressed"));
  EXPECT_THAT(
      refused("wpkh(zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtK"
              "sAYz2oz2AGutZYs/0/*)"),
      HasSubstr(std::string(kXpub)));
  EXPECT_THAT(refused(with("multi(2,", kKey, ")")), HasSubstr("2 signatures but has 1 keys"));
  EXPECT_THAT(refused("addr(tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7)"), HasSubstr("testnet"));
  EXPECT_THAT(refused("pk(d6889cb081036e0faefa3a35157ad71086b123b2b144b649798b494c300a961d)"), HasSubstr("public key"));
  EXPECT_THAT(refused(with("pk(", std::string(66, 'f'), ")")), HasSubstr("not a valid public key"));
}

TEST(Descriptor, W12_ErrorsNeverHoldAPrivateKey) {
  std::string typo(kXprv);
  typo[40] = typo[40] == '2' ? '3' : '2';
  for (const std::string& text :
       {with("wpkh(", kXprv, "/0/*')"), with("wpkh(", typo, ")"), with("wpkh(", kWif, "/0)"),
        with("wpkh(", kXprv, "/x)"), with("wpkh(", kXprv, ")#abc"), with("wpkh(", kWif.substr(0, 50), ")")}) {
    const auto message = refused(text);
    EXPECT_THAT(message, Not(HasSubstr(std::string(kXprv.substr(4, 16)))));
    EXPECT_THAT(message, Not(HasSubstr(std::string(kWif.substr(4, 16)))));
  }
}

TEST(Descriptor, W12_HostileTextsEndInAnError) {
  refused("");
  refused(std::string(1'000'000, '('));
  refused("sh(" + std::string(60'000, '('));
  refused(with("wpkh(", kXpub, "/" + std::string(300, '9') + ")"));
  refused("raw(" + std::string(40'000, '5') + ")");
  std::string deep(kXpub);
  for (int i = 0; i < 300; ++i) deep += "/0";
  refused("wpkh(" + deep + ")");
  std::string wide(kXpub);
  for (int i = 0; i < 5000; ++i) wide += (i == 0 ? "/<" : ";") + std::to_string(i);
  refused("wpkh(" + wide + ">/*)");
}

RC_GTEST_PROP(Descriptor, AChangedDescriptorNeverPassesItsChecksum, ()) {
  const std::string text = with("wpkh([73c5da0a/84h/0h/0h]", kXpub, "/0/*)#afwvtk2s");
  auto changed = text;
  changed[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::inRange<char>(32, 127);
  RC_PRE(changed != text);
  RC_ASSERT(!Descriptor::parse(changed, params(Network::Main)).has_value());
}

// --- the public sets -----------------------------------------------------------------------------------------

Network network_of(const boost::json::object& row) {
  const auto* name = row.if_contains("network");
  return name == nullptr ? Network::Main : chain::parse_network(std::string_view(name->as_string())).value();
}

/// Why a descriptor that others take is refused here, as a part of the message; empty if it must be taken.
std::string outside_our_subset(std::string_view text) {
  if (text.starts_with("combo(")) return "combo() is not supported";
  if (text.find("*'") != std::string_view::npos || text.find("*h") != std::string_view::npos)
    return "hardened wildcard";
  const auto key = text.find("pub");
  const auto end_of_key = key == std::string_view::npos ? key : text.find_first_of(",)", key);
  if (key == std::string_view::npos) return {};
  const auto path = text.substr(key, end_of_key - key);
  return path.find('\'') != std::string_view::npos || path.find("h/") != std::string_view::npos || path.ends_with('h')
             ? "hardened derivation from a public key is impossible"
             : "";
}

/// Core prints hardened steps behind the public root, which no one can derive; ours has them in the origin.
bool moves_steps_into_origin(std::string_view text) {
  const auto key = text.find("prv");
  if (key == std::string_view::npos) return false;
  return text.substr(key, text.find_first_of(",)", key) - key).find('\'') != std::string_view::npos;
}

TEST(Descriptor, ValidDescriptorsPrintAsInCore) {
  SPV_VECTOR_FILE_OR_SKIP(path, "descriptors/desc-valid.json");
  const auto file = test::read_json(path);
  for (const auto& [group, rows] : file.as_object()) {
    for (const auto& value : rows.as_array()) {
      const auto& row = value.as_object();
      const std::string text(row.at("input").as_string());
      const auto network = network_of(row);
      if (const auto reason = outside_our_subset(text); !reason.empty()) {
        EXPECT_THAT(refused(text, network), HasSubstr(reason)) << text;
        continue;
      }
      const auto descriptor = one(text, network);
      EXPECT_EQ(descriptor.is_ranged(), row.at("isrange").as_bool()) << text;
      EXPECT_EQ(one(descriptor.to_string(), network).script_at(1), descriptor.script_at(1)) << text;
      if (moves_steps_into_origin(text)) continue;
      EXPECT_EQ(descriptor.to_string(), std::string_view(row.at("descriptor").as_string())) << text;
    }
  }
}

TEST(Descriptor, ChecksumsOfTheValidOnes) {
  SPV_VECTOR_FILE_OR_SKIP(path, "descriptors/desc-valid.json");
  const auto file = test::read_json(path);
  for (const auto& [group, rows] : file.as_object()) {
    for (const auto& row : rows.as_array()) {
      const std::string_view text = row.at("input").as_string();
      EXPECT_EQ(descriptor_checksum(text.substr(0, text.find('#'))), std::string_view(row.at("checksum").as_string()));
    }
  }
}

TEST(Descriptor, AddressesAreThoseOfCore) {
  SPV_VECTOR_FILE_OR_SKIP(path, "descriptors/desc-addresses.json");
  const auto file = test::read_json(path);
  for (const auto& [group, rows] : file.as_object()) {
    for (const auto& value : rows.as_array()) {
      const auto& row = value.as_object();
      const std::string text(row.at("input").as_string());
      const auto network = network_of(row);
      if (const auto reason = outside_our_subset(text); !reason.empty()) {
        EXPECT_THAT(refused(text, network), HasSubstr(reason)) << text;
        continue;
      }
      const auto descriptor = one(text, network);
      if (row.contains("error")) {
        EXPECT_EQ(address_at(descriptor, 0, network), "") << text;
        continue;
      }
      std::uint32_t index = row.contains("range") ? row.at("range").at(0).to_number<std::uint32_t>() : 0;
      for (const auto& address : row.at("addresses").as_array()) {
        auto script = descriptor.script_at(index++).value();
        // The set shows P2PK by the address of its key's hash.
        if (group == "pk") script = p2pkh_script(util::hash160(*filter_element(script)));
        EXPECT_EQ(address_of_script(script, params(network)), std::string_view(address.as_string())) << text;
      }
    }
  }
}

TEST(Descriptor, W12_InvalidDescriptorsAreRefused) {
  SPV_VECTOR_FILE_OR_SKIP(path, "descriptors/desc-invalid.json");
  const auto file = test::read_json(path);
  for (const auto& value : file.as_array()) {
    const auto& row = value.as_object();
    const std::string text(row.at("input").as_string());
    // The set's maker does not know multipath, and asks for a checksum in one case; we take both.
    const bool taken_here = text.find("/<0;1>/") != std::string::npos || row.contains("requirechecksum");
    if (taken_here) {
      EXPECT_FALSE(parsed(text, network_of(row)).empty());
    } else {
      refused(text, network_of(row));
    }
  }
}

TEST(Descriptor, PrivateFormsKeepTheirChecksumAndBecomePublic) {
  SPV_VECTOR_FILE_OR_SKIP(path, "descriptors/desc-privatekeys.json");
  const auto file = test::read_json(path);
  for (const auto& value : file.as_array()) {
    const auto& row = value.as_object();
    const std::string text(row.at("input").as_string());
    if (const auto* expected = row.if_contains("expected")) {
      const std::string with_checksum(expected->as_string());
      EXPECT_EQ(text + '#' + descriptor_checksum(text), with_checksum);
      EXPECT_THAT(one(with_checksum, network_of(row)).to_string(), Not(HasSubstr("prv")));
    } else {
      EXPECT_EQ(descriptor_checksum(text).size(), 8U);  // a mix of public and private keys: no private form exists
    }
  }
}

TEST(Descriptor, Bip380Vectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "descriptors/bip380_checksums.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.as_array()) {
    std::string text(row.at("text").as_string());
    if (std::string_view(row.at("group").as_string()) != "checksum") text = "pkh(" + text + ")";
    const auto reason = outside_our_subset(text);
    if (row.at("valid").as_bool() && reason.empty()) {
      EXPECT_EQ(parsed(text).size(), 1U) << row;
    } else {
      EXPECT_THAT(refused(text), HasSubstr(row.at("valid").as_bool() ? reason : "")) << row;
    }
  }
}

TEST(Descriptor, Bip67SortsTheKeysOfAMultisig) {
  SPV_VECTOR_FILE_OR_SKIP(path, "core/rpc_bip67.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.as_array()) {
    const auto list = [&](const char* name) {
      std::string out;
      for (const auto& key : row.at(name).as_array()) out += ',' + std::string(key.as_string());
      return out;
    };
    const auto sorted = one("sh(sortedmulti(2" + list("keys") + "))", Network::Regtest);
    EXPECT_EQ(address_at(sorted, 0, Network::Regtest), std::string_view(row.at("address").as_string()));
    EXPECT_EQ(sorted.script_at(0), one("sh(multi(2" + list("sorted_keys") + "))", Network::Regtest).script_at(0));
    EXPECT_EQ(sorted.script_at(0), p2sh_script(util::hash160(test::hex(row.at("script")))));
  }
}

TEST(Descriptor, Bip341KeyPathOutputs) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip341/wallet-test-vectors.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.at("scriptPubKey").as_array()) {
    const std::string key(row.at("given").at("internalPubkey").as_string());
    const auto expected = test::hex(row.at("expected").at("scriptPubKey"));
    if (row.at("given").at("scriptTree").is_null()) {
      EXPECT_EQ(one("tr(" + key + ")").script_at(0), expected);
    } else {
      // A tree changes the output, and we have no trees: never the same script, and a tree is refused by name.
      EXPECT_NE(one("tr(" + key + ")").script_at(0), expected);
      EXPECT_THAT(refused("tr(" + key + ",pk(" + key + "))"), HasSubstr("script tree is not supported"));
    }
    EXPECT_EQ(address_of_script(expected, params(Network::Main)),
              std::string_view(row.at("expected").at("bip350Address").as_string()));
  }
}

}  // namespace
}  // namespace spv::wallet
