import type { BlankFormState } from './blank-form.decider.js';
import { BlankFormNotFoundError } from './blank-form.errors.js';

/** What clients see of one. */
export interface BlankForm {
  /** Assigned when it is added; never used again. */
  readonly id: bigint;
  readonly name: string;
}

/**
 * The one that a stream's state tells of.
 * @throws BlankFormNotFoundError where it tells of none.
 */
export function toBlankForm(id: bigint, state: BlankFormState): BlankForm {
  if (state.kind === 'none') throw new BlankFormNotFoundError(id);
  return { id, name: state.name };
}

/** The category of the streams, one stream for each. */
export const BLANK_FORM_CATEGORY = 'blank-form';

/** The stream of the one with this id, such as `blank-form-17`. */
export function blankFormStream(id: bigint): string {
  return `${BLANK_FORM_CATEGORY}-${id}`;
}

/** The id of the one whose stream this is. */
export function parseBlankFormId(stream: string): bigint {
  return BigInt(stream.slice(BLANK_FORM_CATEGORY.length + 1));
}
