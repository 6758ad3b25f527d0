#include "cli/output/man_page.h"

#include "cli/options/help.h"

namespace spv::cli {
namespace {

/// Text that troff prints unchanged.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string option_entry(const OptionInfo& option) {
  std::string out = ".TP\n";
  if (option.positional) {
    out += "\\fI" + escaped(option_heading(option)) + "\\fR\n";
  } else {
    for (std::size_t i = 0; i < option.names.size(); ++i) {
      out += (i == 0 ? "" : ", ") + ("\\fB" + escaped(option.names[i]) + "\\fR");
    }
    if (!option.value.empty()) out += " \\fI" + escaped(option.value) + "\\fR";
    out += "\n";
  }
  return out + escaped(option_text(option)) + ".\n";
}

void add_command(const CommandInfo& command, const std::string& name, std::string& out) {
  out += ".SS \"" + escaped(usage_line(command, name)) + "\"\n" + escaped(command.description) + ".\n";
  for (const auto& option : command.options) {
    if (option.names.size() == 2 && option.names[1] == "--help") continue;
    out += option_entry(option);
  }
  for (const auto& sub : command.commands) add_command(sub, name + " " + sub.name, out);
}

constexpr std::string_view kDescription = R"(.SH DESCRIPTION
.B spv
is a Bitcoin SPV wallet client: it finds and verifies your coins without downloading the block chain.
It checks the proof of work of every header, asks peers only for transactions that match the wallet (BIP37 bloom
filters), and accepts a transaction only with a merkle proof that it is in the chain with the most work.
.PP
It pays, too: with the wallet's keys or by PSBT. A payment is stored and its coins are reserved before it is sent, and
what the network did with it is reported with the evidence.
)";

constexpr std::string_view kRest = R"(.SH CONFIGURATION
Options that are not given on the command line are read from environment variables (\fB\-\-fp\-rate\fR from
\fB$SPV_FP_RATE\fR), then from the config file.
In a variable, separate several values by spaces; set an option without a value to 1.
The config file has lines of \fIname\fR=\fIvalue\fR with the names of the options. Lines below
\fB[main]\fR, \fB[testnet]\fR, \fB[testnet4]\fR, \fB[signet]\fR or \fB[regtest]\fR apply to that network only.
Long options may also be written with one dash, as in Bitcoin Core: \fB\-regtest\fR, \fB\-datadir=\fIDIR\fR.
.SH FILES
.TP
.I $XDG_DATA_HOME/spv, else ~/.local/share/spv
The data directory, created with mode 0700.
.TP
.I DATADIR/spv.conf
The config file.
.TP
.I DATADIR/NETWORK/headers.dat
Block headers, shared by all wallets of the network.
.TP
.I DATADIR/NETWORK/wallets/NAME.sqlite
A wallet. The file of a mnemonic wallet contains the keys.
.SH EXIT STATUS
.TP
.B 0
Success.
.TP
.B 1
Failure.
.TP
.B 2
Bad usage.
.TP
.B 3
No usable peer, or timed out; progress is saved.
.TP
.B 4
The wallet is missing, in use by another process, or the passphrase is wrong.
.SH PRIVACY
The filter tells a peer which addresses may be yours; its false positives hide them only a little. Use your own node if
that matters.
.SH EXAMPLES
.nf
spv create \-\-regtest
spv sync \-\-regtest \-\-connect 127.0.0.1:18444
spv balance \-\-regtest \-\-json
spv watch \-\-wallet cold \-\-xpub tpub... \-\-script wpkh
spv proof TXID > payment.proof
spv verify\-proof payment.proof
.fi
.SH SEE ALSO
.BR bitcoind (1),
.BR bitcoin\-cli (1)
)";

}  // namespace

std::string man_page(const CommandInfo& program, const std::string& version) {
  std::string out = ".TH SPV 1 \"\" \"spv " + version + "\" \"User Commands\"\n";
  out += ".SH NAME\nspv \\- " + escaped(program.description) + "\n";
  out += ".SH SYNOPSIS\n.B spv\n[\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n";
  out += kDescription;
  out += ".SH OPTIONS\nThese can be given before or after the command.\n";
  for (const auto& option : program.options) out += option_entry(option);
  out += ".SH COMMANDS\n";
  for (const auto& command : program.commands) add_command(command, command.name, out);
  out += kRest;
  return out;
}

}  // namespace spv::cli
