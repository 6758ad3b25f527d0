#include "serve/http/request_record.h"

namespace spv::serve {

std::string to_line(const RequestRecord& record) {
  std::string line(to_string(record.method));
  line += ' ';
  line += record.route.empty() ? record.path : record.route;
  line += ' ' + std::to_string(record.status) + ' ' + std::to_string(record.bytes) + " bytes " +
          std::to_string(record.microseconds) + " us";
  if (record.is_stream) line += " stream";
  return line;
}

}  // namespace spv::serve
