export { assertValid, validationErrors } from './assert-valid.js';
export { durationOf, IsDuration } from './duration.rule.js';
export { IsIdList } from './id-list.rule.js';
export { IfGiven } from './if-given.rule.js';
export { INT64_MAX, INT64_MIN, IsInt64, parseInt64 } from './int64.js';
export { Removable } from './removable.rule.js';
export { assertStorable, IsText, isText, TEXT_PATTERN, textErrors } from './text.rule.js';
export { Describes, schemaOf, type InputClass, type InputSchema, type RuleSchema } from './rule-schema.js';
export { IsWholeNumber } from './whole-number.rule.js';
