// Every command: one function each, in a file of its name. They print to stdout and throw CommandError.
#pragma once

#include "cli/error.h"
#include "cli/options/options.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const CreateOptions& options);
ExitCode run(const CommonOptions& common, const RestoreOptions& options);
ExitCode run(const CommonOptions& common, const WatchOptions& options);
ExitCode run(const CommonOptions& common, const PassphraseOptions& options);
ExitCode run(const CommonOptions& common, const DescriptorsOptions& options);
ExitCode run(const CommonOptions& common, const SyncOptions& options);
ExitCode run(const CommonOptions& common, const WaitOptions& options);
ExitCode run(const CommonOptions& common, const ServeOptions& options);
ExitCode run(const CommonOptions& common, const BalanceOptions& options);
ExitCode run(const CommonOptions& common, const HistoryOptions& options);
ExitCode run(const CommonOptions& common, const UtxosOptions& options);
ExitCode run(const CommonOptions& common, const AddressOptions& options);
ExitCode run(const CommonOptions& common, const AddressesOptions& options);
ExitCode run(const CommonOptions& common, const StatusOptions& options);
ExitCode run(const CommonOptions& common, const ListOptions& options);
ExitCode run(const CommonOptions& common, const RescanOptions& options);
ExitCode run(const CommonOptions& common, const HeadersOptions& options);
ExitCode run(const CommonOptions& common, const PeersOptions& options);
ExitCode run(const CommonOptions& common, const FilterDesignOptions& options);
ExitCode run(const CommonOptions& common, const FilterCreateOptions& options);
ExitCode run(const CommonOptions& common, const FilterAddOptions& options);
ExitCode run(const CommonOptions& common, const FilterExistsOptions& options);
ExitCode run(const CommonOptions& common, const FilterUnionOptions& options);
ExitCode run(const CommonOptions& common, const FilterIntersectOptions& options);
ExitCode run(const CommonOptions& common, const FilterInspectOptions& options);
ExitCode run(const CommonOptions& common, const FilterMeasureOptions& options);
ExitCode run(const CommonOptions& common, const TxOptions& options);
ExitCode run(const CommonOptions& common, const ProofOptions& options);
ExitCode run(const CommonOptions& common, const VerifyProofOptions& options);
ExitCode run(const CommonOptions& common, const GenerateOptions& options);
ExitCode run(const CommonOptions& common, const CompleteOptions& options);
ExitCode run(const CommonOptions& common, const SendOptions& options);
ExitCode run(const CommonOptions& common, const BumpOptions& options);
ExitCode run(const CommonOptions& common, const CancelOptions& options);
ExitCode run(const CommonOptions& common, const CpfpOptions& options);
ExitCode run(const CommonOptions& common, const BroadcastOptions& options);
ExitCode run(const CommonOptions& common, const FeesOptions& options);
ExitCode run(const CommonOptions& common, const PsbtCreateOptions& options);
ExitCode run(const CommonOptions& common, const PsbtDecodeOptions& options);
ExitCode run(const CommonOptions& common, const PsbtSignOptions& options);
ExitCode run(const CommonOptions& common, const PsbtCombineOptions& options);
ExitCode run(const CommonOptions& common, const PsbtFinalizeOptions& options);
ExitCode run(const CommonOptions& common, const PsbtExtractOptions& options);
ExitCode run(const CommonOptions& common, const LabelOptions& options);
ExitCode run(const CommonOptions& common, const LabelsOptions& options);
ExitCode run(const CommonOptions& common, const RenameOptions& options);
ExitCode run(const CommonOptions& common, const DeleteOptions& options);
ExitCode run(const CommonOptions& common, const BackupOptions& options);
ExitCode run(const CommonOptions& common, const ExportOptions& options);
ExitCode run(const CommonOptions& common, const ImportOptions& options);
ExitCode run(const CommonOptions& common, const SetOptions& options);
ExitCode run(const CommonOptions& common, const FreezeOptions& options);
ExitCode run(const CommonOptions& common, const AbandonOptions& options);

}  // namespace spv::cli
