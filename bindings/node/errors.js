'use strict';
// One class for each error code of the library.
const { ErrorCode } = require('./enums.js');

/** An error of the library: `code` is an ErrorCode, the message says what is wrong and what to do. */
class SpvError extends Error {
  constructor(message, code) {
    super(message);
    this.name = this.constructor.name;
    this.code = code;
  }
}

const errors = { SpvError };
const byCode = new Map();
for (const [name, code] of Object.entries(ErrorCode)) {
  if (code === 0) continue;
  const className = name.toLowerCase().replace(/(?:^|_)(\w)/g, (_, first) => first.toUpperCase()) + 'Error';
  errors[className] = { [className]: class extends SpvError {
    constructor(message, given = code) { super(message, given); }
  } }[className];
  byCode.set(code, errors[className]);
}

class ClosedError extends errors.StateError {
  constructor() { super('the client is closed'); }
}

/** The error for a code; a code of a newer library is an SpvError. */
const errorOf = (code, message) => new (byCode.get(code) ?? SpvError)(message, code);

module.exports = { errorOf, errors, ClosedError, InvalidArgumentError: errors.InvalidArgumentError, StateError: errors.StateError };
