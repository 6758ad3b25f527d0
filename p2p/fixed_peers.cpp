#include "p2p/fixed_peers.h"

#include <array>

namespace spv::p2p {
namespace {

using Host = std::string_view;

// From the lists of fixed seeds that Bitcoin Core publishes, one of a /16 (or /32), many owners and countries.
constexpr std::array kMain = {
    Host("46.59.40.91"),
    Host("62.210.207.63"),
    Host("83.150.2.128"),
    Host("85.214.161.252"),
    Host("88.99.71.213"),
    Host("94.19.128.204"),
    Host("103.99.169.110"),
    Host("128.2.12.38"),
    Host("129.10.85.103"),
    Host("133.3.249.155"),
    Host("147.32.95.62"),
    Host("160.80.12.16"),
    Host("185.70.43.193"),
    Host("195.56.63.12"),
    Host("204.15.11.35"),
    Host("208.93.231.240"),
    Host("212.51.129.60"),
    Host("213.165.95.142"),
    Host("2001:638:a000:4140::ffff:47"),
    Host("2001:67c:26b4:ff00::44"),
    Host("42qfhqoyebkpddesxi7zbm3ujcfzmattclannvkdp6g57gkbg5l6nuqd.onion"),
    Host("ahwkawuxyowyesovtvriaghqdvud7ksy3kt6rjhkcadsff5rllpnjtad.onion"),
    Host("gkgud3alqw7vqywtawsssovmvkhslqr4xenrmrg6om6iljub5o2fh6ad.onion"),
    Host("kjnokdj37cimgseydldmehyquvgo5d6uqce7plauwtdpwzpmfkgrizyd.onion"),
};
constexpr std::array kTestnet4 = {
    Host("5.182.4.106"),
    Host("31.220.30.248"),
    Host("45.94.168.5"),
    Host("51.158.61.33"),
    Host("65.108.143.22"),
    Host("82.67.102.15"),
    Host("89.58.9.219"),
    Host("95.141.35.117"),
    Host("103.99.169.203"),
    Host("104.237.131.138"),
    Host("121.98.22.147"),
    Host("135.180.99.74"),
    Host("158.220.90.103"),
    Host("193.30.123.70"),
    Host("203.132.94.196"),
    Host("208.68.4.50"),
    Host("2a01:4f8:2190:1692::2"),
    Host("2401:b140:3::92:201"),
    Host("24i3bbceydddhykco65oai2dmxirqtvwyom3kyxwzaxbldaog4filyyd.onion"),
    Host("a6yijgwn4vtmmhl7uybtbuyvtl7mtj7arld5f4csqsx4syeii4gt3vqd.onion"),
    Host("mavvwxts5f3axuz4cyjqpz75veijkdkdueavekb5hia67zk257eg7tqd.onion"),
    Host("wkvaxtftpwmmvrptqavx6mwhrcwiecbodtshuenvot3cjgxsycuurcid.onion"),
};
constexpr std::array kSignet = {
    Host("178.128.221.177"),  // this one and the first onion stand beside Core's DNS seeds
    Host("34.135.189.101"),
    Host("37.120.177.204"),
    Host("45.94.168.5"),
    Host("49.13.117.253"),
    Host("50.39.245.228"),
    Host("51.79.229.113"),
    Host("62.169.29.181"),
    Host("82.65.129.71"),
    Host("89.58.37.164"),
    Host("95.141.35.117"),
    Host("136.144.237.250"),
    Host("153.126.143.201"),
    Host("172.105.179.233"),
    Host("188.165.201.163"),
    Host("208.68.4.50"),
    Host("2a01:7c8:d008:e9::3"),
    Host("2401:2500:102:3007:153:126:143:201"),
    Host("v7ajjeirttkbnt32wpy3c6w3emwnfr3fkla7hpxcfokr3ysd3kqtzmqd.onion"),
    Host("2uqd5pbaxn26o7fl7nqtm2khetqocislppxtxrpqg55wtbcqdrf2y5qd.onion"),
    Host("ejgeimjypsfuijpxzy5xpwmmjmkr4izwze6od5pw74csjglflib6nsid.onion"),
    Host("tsq7clffbfe636zfszymheqgy6tyzbsjogad2qet7qeijua5c53ye6ad.onion"),
};

}  // namespace

std::span<const std::string_view> fixed_peers(chain::Network network) {
  switch (network) {
    case chain::Network::Main:
      return kMain;
    case chain::Network::Testnet4:
      return kTestnet4;
    case chain::Network::Signet:
      return kSignet;
    case chain::Network::Testnet3:  // the published ones are of an onion service that is no more
    case chain::Network::Regtest:
      return {};
  }
  return {};
}

}  // namespace spv::p2p
