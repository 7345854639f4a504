export {
  assertStorable,
  createRule,
  durationOf,
  IfGiven,
  INT64_MAX,
  INT64_MIN,
  IsDuration,
  IsIdList,
  IsInt64,
  isText,
  IsText,
  IsWholeNumber,
  parseInt64,
  Removable,
  TEXT_PATTERN,
  textErrors,
} from './rules.js';
export { assertValid, Describes, schemaOf, validationErrors, type InputClass, type InputSchema, type RuleSchema } from './validation.js';
