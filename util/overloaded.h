// Overloaded: a set of lambdas as one visitor.
#pragma once

namespace spv::util {

template <typename... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <typename... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

}  // namespace spv::util
