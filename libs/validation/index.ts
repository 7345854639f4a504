export { assertValid, violationsOf } from './assert-valid.js';
export { INT64_MAX, INT64_MIN, IsInt64, parseInt64 } from './int64.js';
export { assertStorable, IsText, TEXT_PATTERN, textFaults } from './text.rule.js';
