#include "p2p/net_address.h"

#include <gtest/gtest.h>

#include "tests/p2p/samples.h"

namespace spv::p2p {
namespace {

// The address of The Tor Project's website, and of addrv2's vector in hex.
constexpr const char* kOnion = "2gzyxa5ihm7nsggfxnu52rck2vv4rvmdlkiu3zzui5du4xyclen53wid.onion";

std::string round_trip(std::string_view host) {
  const auto parsed = parse_net_address(host, 8333);
  return parsed ? host_of(*parsed) : "(none)";
}

TEST(NetAddress, TextComesBackInItsShortestForm) {
  EXPECT_EQ(round_trip("1.2.3.4"), "1.2.3.4");
  EXPECT_EQ(round_trip("255.255.255.255"), "255.255.255.255");
  EXPECT_EQ(round_trip("2001:0DB8:0:0:1:0:0:1"), "2001:db8::1:0:0:1");
  EXPECT_EQ(round_trip("::"), "::");
  EXPECT_EQ(round_trip("::1"), "::1");
  EXPECT_EQ(round_trip("1::"), "1::");
  EXPECT_EQ(round_trip("1:2:3:4:5:6:7:8"), "1:2:3:4:5:6:7:8");
  EXPECT_EQ(round_trip("1:0:3:4:5:6:7:8"), "1:0:3:4:5:6:7:8");
  EXPECT_EQ(round_trip("64:ff9b::1.2.3.4"), "64:ff9b::102:304");
  EXPECT_EQ(round_trip("::ffff:1.2.3.4"), "1.2.3.4");
  EXPECT_EQ(round_trip(kOnion), kOnion);
}

TEST(NetAddress, WhatIsNoAddressIsRefused) {
  std::string wrong_checksum = kOnion;
  wrong_checksum[3] = 'a';
  for (const std::string& host : {std::string(),
                                  std::string("example.org"),
                                  std::string("1.2.3"),
                                  std::string("1.2.3.4.5"),
                                  std::string("1.2.3.256"),
                                  std::string("01.2.3.4"),
                                  std::string("1.2.3.4 "),
                                  std::string("-1.2.3.4"),
                                  std::string(":"),
                                  std::string(":::"),
                                  std::string("1::2::3"),
                                  std::string("1:2:3:4:5:6:7"),
                                  std::string("1:2:3:4:5:6:7:8:9"),
                                  std::string("1:2:3:4:5:6:7:"),
                                  std::string("12345::"),
                                  std::string("g::"),
                                  std::string("::1%lo"),
                                  std::string("1.2.3.4::"),
                                  std::string("[::1]"),
                                  wrong_checksum,
                                  std::string("expyuzz4wqqyqhjn.onion"),
                                  std::string(56, 'a') + ".onion"}) {
    EXPECT_FALSE(parse_net_address(host, 1)) << host;
  }
}

TEST(NetAddress, AnOnionAddressOfAddrV2GetsItsChecksum) {
  AddressV2 address;
  address.network = AddressNetwork::TorV3;
  address.address = test::hex("691b6b6734017961fe2438335bd774993dfdc52d807ff23aee31993f004e1c22");
  const auto net = to_net_address(address);
  ASSERT_TRUE(net);
  EXPECT_EQ(parse_net_address(host_of(*net), 0), net);
  EXPECT_EQ(host_of(*net).size(), 62U);
}

TEST(NetAddress, N12_MappedAddressesAreIpv4InAddrAndNothingInAddrV2) {
  NetworkAddress old;
  old.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 9, 8, 7, 6};
  old.port = 8333;
  EXPECT_EQ(to_string(to_net_address(old)), "9.8.7.6:8333");
  AddressV2 mapped;
  mapped.network = AddressNetwork::Ipv6;
  mapped.address.assign(old.ip.begin(), old.ip.end());
  EXPECT_FALSE(to_net_address(mapped));
}

TEST(NetAddress, N8_NetworksThatWeDoNotDialAreSkipped) {
  for (const auto& [network, size] : {std::pair{AddressNetwork::TorV2, 10U}, std::pair{AddressNetwork::I2p, 32U},
                                      std::pair{AddressNetwork::Cjdns, 16U}, std::pair{AddressNetwork{0xAA}, 7U}}) {
    AddressV2 address;
    address.network = network;
    address.address.assign(size, 0x20);
    EXPECT_FALSE(to_net_address(address));
  }
}

TEST(NetAddress, N12_OnlyAddressesOfThePublicNetworkArePublic) {
  for (const char* host : {"0.0.0.0",     "10.1.2.3",   "100.64.0.1",       "100.127.255.255", "127.0.0.1",
                           "169.254.1.1", "172.16.0.1", "172.31.255.255",   "192.0.0.1",       "192.0.2.1",
                           "192.168.1.1", "198.18.0.1", "198.19.255.255",   "198.51.100.1",    "203.0.113.9",
                           "224.0.0.1",   "239.1.1.1",  "240.0.0.1",        "255.255.255.255", "::",
                           "::1",         "::1.2.3.4",  "fc00::1",          "fd12::1",         "fe80::1",
                           "fec0::1",     "ff02::1",    "64:ff9b::102:304", "100::1",          "2001::1",
                           "2001:10::1",  "2001:20::1", "2001:2::1",        "2001:db8::1",     "2002:102:304::1",
                           "3fff::1"}) {
    const auto address = parse_net_address(host, 8333);
    ASSERT_TRUE(address) << host;
    EXPECT_FALSE(is_public(*address)) << host;
  }
  for (const char* host :
       {"1.1.1.1", "9.255.255.255", "11.0.0.1", "100.63.1.1", "100.128.0.1", "172.15.1.1", "172.32.0.1", "198.17.1.1",
        "198.20.0.1", "223.255.255.255", "2600::1", "2001:470::1", kOnion}) {
    const auto address = parse_net_address(host, 8333);
    ASSERT_TRUE(address) << host;
    EXPECT_TRUE(is_public(*address)) << host;
  }
  EXPECT_FALSE(is_public(*parse_net_address("1.1.1.1", 0)));
}

TEST(NetAddress, TheGroupIsTheSlash16OfIpv4AndTheSlash32OfIpv6) {
  const auto group = [](std::string_view host) { return group_of(*parse_net_address(host, 8333)); };
  EXPECT_EQ(group("1.2.3.4"), "1.2.0.0/16");
  EXPECT_EQ(group("1.2.200.1"), group("1.2.3.4"));
  EXPECT_NE(group("1.3.3.4"), group("1.2.3.4"));
  EXPECT_EQ(group("2600:1:2::3"), "2600:1::/32");
  EXPECT_EQ(group(kOnion).substr(0, 6), "onion/");
}

TEST(NetAddress, AnOnionNameIsReadInEitherCaseAndHeldToItsChecksum) {
  std::string shouted = kOnion;
  for (char& c : shouted) {
    if (c >= 'a' && c <= 'z' && &c < shouted.data() + 56) c = static_cast<char>(c - 'a' + 'A');
  }
  ASSERT_TRUE(parse_net_address(shouted, 8333));
  EXPECT_EQ(parse_net_address(shouted, 8333), parse_net_address(kOnion, 8333));
  std::string other_key = kOnion;
  other_key[0] = '3';
  EXPECT_FALSE(parse_net_address(other_key, 8333));
  std::string no_letter = kOnion;
  no_letter[0] = '1';
  EXPECT_FALSE(parse_net_address(no_letter, 8333));
  EXPECT_FALSE(parse_net_address(std::string(kOnion).substr(0, 56) + ".orion", 8333));
}

TEST(NetAddress, AnIpv6AddressOfAnOldMessageIsOne) {
  NetworkAddress old;
  old.ip = {0x26, 0x00, 0, 1};
  old.port = 8333;
  EXPECT_EQ(to_net_address(old), *parse_net_address("2600:1::", 8333));
  AddressV2 unknown;
  unknown.network = static_cast<AddressNetwork>(0x42);
  EXPECT_FALSE(to_net_address(unknown));
  AddressV2 short_one;
  short_one.network = AddressNetwork::Ipv4;
  short_one.address = {1, 2, 3};
  EXPECT_FALSE(to_net_address(short_one));
}

}  // namespace
}  // namespace spv::p2p
