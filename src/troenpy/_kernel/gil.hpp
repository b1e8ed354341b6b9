// Letting other Python threads run meanwhile.

#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

namespace troenpy {

// Bytes of text, or as many steps of about 10 ns: longer than it takes to get the GIL back from another thread, which is
// 20 to 100 microseconds.
constexpr std::uint64_t long_work = 16384;

// Releases the GIL unless the work is short: getting it back from another thread takes longer than a short text.
class ReleaseForLong {
public:
    explicit ReleaseForLong(bool is_long) {
        if (is_long) release_.emplace();
    }

private:
    std::optional<nanobind::gil_scoped_release> release_;
};

}  // namespace troenpy
