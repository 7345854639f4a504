import { IsBoolean, IsIn } from 'class-validator';
import { Column } from 'typeorm';
import { columnTypes, optional } from '#libs/database';
import { ApiDescription, IfGiven, inputNames, IsInt64, IsText, IsTime, pick } from '#libs/http';

// each field
export const BLANK_FORM_BLANK_WORDS = ['blank-first', 'blank-second'] as const;
export type BlankFormBlankWord = (typeof BLANK_FORM_BLANK_WORDS)[number];
// end

// if state
export const BLANK_FORM_BLANK_STATES = [
  'blank-opened-state',
  // each value
  'blank-closed-state',
] as const;
export type BlankFormBlankState = (typeof BLANK_FORM_BLANK_STATES)[number];
// end

/** The fields of one of the blank forms. Its commands, its row and what REST shows take them from here. `npm run generate -- field` adds one. */
export class BlankFormFields {
  // each field
  @IfGiven()
  @IsText(255)
  @Column(optional(columnTypes.text))
  @ApiDescription('The blank text, kept exactly as sent. 1 to 255 Unicode characters, not blank, without U+0000 and lone surrogates.')
  readonly blankText?: string | undefined;

  @IfGiven()
  @IsInt64()
  @Column(optional(columnTypes.int64))
  @ApiDescription('The blank integer; any int64, written in digits.')
  readonly blankInteger?: bigint | undefined;

  @IfGiven()
  @IsTime()
  @Column(optional(columnTypes.time))
  @ApiDescription('The blank time, as RFC 3339 writes it; kept to the millisecond.')
  readonly blankTime?: Date | undefined;

  @IfGiven()
  @IsBoolean()
  @Column(optional(columnTypes.boolean))
  @ApiDescription('The blank flag.')
  readonly blankFlag?: boolean | undefined;

  @IfGiven()
  @IsIn(BLANK_FORM_BLANK_WORDS)
  @Column(optional(columnTypes.text))
  @ApiDescription('The blank word.')
  readonly blankWord?: BlankFormBlankWord | undefined;
}

/** What has to be said to blank open one. */
export type NewBlankForm = Readonly<BlankFormFields>;

// each command
export const BLANK_CHANGE_FIELDS = ['blankText', 'blankInteger', 'blankTime', 'blankFlag', 'blankWord'] as const;
export type BlankChangeValues = Pick<NewBlankForm, (typeof BLANK_CHANGE_FIELDS)[number]>;
// end

/** What clients see of one. */
export interface BlankForm extends NewBlankForm {
  /** Assigned by the service; never used again. */
  readonly id: bigint;
  // if state
  readonly blankState: BlankFormBlankState;
}

const SHOWN = [
  'id',
  ...inputNames(BlankFormFields),
  // if state
  'blankState',
] as const;

/** Returns what clients see, in the order of the declaration. */
export function showBlankForm(blankForm: BlankForm): BlankForm {
  return pick(blankForm, SHOWN);
}

/** What a command leaves. */
export interface ChangedBlankForm {
  readonly blankForm: BlankForm;
  /** False if it was so before and no event was written. */
  readonly changed: boolean;
}

/** The category of the streams, one for each. */
export const BLANK_FORM_CATEGORY = 'blank-form';

/** Returns the stream of the one with this id, such as `blank-form-17`. */
export function blankFormStream(id: bigint): string {
  return `${BLANK_FORM_CATEGORY}-${id}`;
}
