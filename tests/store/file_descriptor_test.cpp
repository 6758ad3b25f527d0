#include "store/file_descriptor.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"
#include "util/secret.h"

namespace spv::store {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

class FileDescriptorTest : public testing::Test {
 protected:
  FileDescriptor holding(const std::string& text) {
    std::ofstream(path_) << text;
    return FileDescriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  }
  std::string content() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  test::TempDir folder_;
  std::string path_ = folder_.file("file");
};

TEST_F(FileDescriptorTest, ClosesItselfOnceAndOnlyIfItHasAFile) {
  int fd = -1;
  {
    FileDescriptor file = holding("x");
    fd = file.get();
    FileDescriptor taken(std::move(file));
    EXPECT_TRUE(taken.valid());
    EXPECT_TRUE(is_open(fd));
    taken = FileDescriptor();
    EXPECT_FALSE(taken.valid());
    EXPECT_FALSE(is_open(fd));
  }
  EXPECT_FALSE(FileDescriptor(::open(folder_.file("none").c_str(), O_RDONLY)).valid());
}

TEST_F(FileDescriptorTest, ReadsFilesOfEverySizeWhole) {
  for (const std::size_t size : {0U, 1U, 4'095U, 4'096U, 4'097U, 8'192U, 100'000U}) {
    const std::string text(size, 'a');
    const auto file = holding(text);
    const auto read = read_up_to<std::string>(file.get(), 100'000);
    ASSERT_TRUE(read) << size;
    EXPECT_EQ(*read, text) << size;
  }
}

TEST_F(FileDescriptorTest, ReadsOneByteMoreThanTheLimitWhereThereIsMore) {
  for (const std::size_t limit : {0U, 1U, 4'095U, 4'096U, 5'000U}) {
    EXPECT_EQ(read_up_to<std::string>(holding(std::string(limit, 'b')).get(), limit)->size(), limit) << limit;
    EXPECT_EQ(read_up_to<std::string>(holding(std::string(9'000, 'b')).get(), limit)->size(), limit + 1) << limit;
  }
}

TEST_F(FileDescriptorTest, KeepsNoMoreRoomThanAShortFileNeeds) {
  const auto read = read_up_to<util::Bytes>(holding("short").get(), 4'000'000);
  EXPECT_LE(read->capacity(), 4'096U);
}

TEST_F(FileDescriptorTest, K6_ReadsASecretIntoMemoryThatIsWiped) {
  const auto read = read_up_to<util::SecretBytes>(holding("correct horse").get(), 4'096);
  EXPECT_EQ(std::string(read->begin(), read->end()), "correct horse");
}

TEST_F(FileDescriptorTest, ReadsWhatComesInPiecesToTheEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const FileDescriptor out(ends[0]);
  std::thread writer([in = ends[1]] {
    const FileDescriptor closed_at_the_end(in);
    for (const char* piece : {"a", "bc", "def"}) {
      EXPECT_EQ(write_all(in, util::as_bytes(piece)), 0);  // a pipe cannot be synced, which is no error
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  EXPECT_EQ(*read_up_to<std::string>(out.get(), 100), "abcdef");
  writer.join();
}

TEST_F(FileDescriptorTest, TellsWhyItCannotRead) {
  const FileDescriptor folder(::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto read = read_up_to<std::string>(folder.get(), 10);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), EISDIR);
}

TEST_F(FileDescriptorTest, WritesAllAndTellsOfAFullDisk) {
  {
    const FileDescriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const std::string text(200'000, 'c');
    EXPECT_EQ(write_all(file.get(), util::as_bytes(text)), 0);
    EXPECT_EQ(content(), text);
  }
  const FileDescriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  if (full.valid()) {
    EXPECT_EQ(write_all(full.get(), util::as_bytes("x")), ENOSPC);
  }
}

}  // namespace
}  // namespace spv::store
