import { Column } from 'typeorm';
import { columnTypes, optional } from '#libs/database';
import { LIMIT_NAMES, type GivenLimits, type Plan } from './plans.js';

/** Texts, separated by commas. */
const list = {
  ...columnTypes.text,
  transformer: { to: (texts: readonly string[]) => texts.join(','), from: (stored: unknown) => String(stored).split(',') },
};

/** The limits of a key of the plan enterprise. */
const LimitColumns = class extends Object {} as new () => GivenLimits;
for (const name of LIMIT_NAMES) Column(optional(columnTypes.integer))(LimitColumns.prototype as object, name);

/** What the events of an API key say about it, from which its row takes its columns. Times are ISO texts. */
export class ApiKeyFields extends LimitColumns {
  @Column(columnTypes.text) readonly name!: string;
  @Column(optional(columnTypes.text)) readonly owner?: string | undefined;
  @Column(columnTypes.text) readonly plan!: Plan;
  @Column(list) readonly scopes!: readonly string[];
  @Column(optional(columnTypes.text)) readonly keyStart?: string | undefined;
  @Column(optional(columnTypes.isoTime)) readonly expiresAt?: Date | undefined;
  @Column(optional(columnTypes.isoTime)) readonly previousValidUntil?: Date | undefined;
  @Column(optional(columnTypes.isoTime)) readonly bannedUntil?: Date | undefined;
  /** Place of the last ban on the ladder of ever longer bans. */
  @Column(optional(columnTypes.integer)) readonly banStep?: number | undefined;
  @Column(optional(columnTypes.text)) readonly banReason?: string | undefined;
  @Column(columnTypes.integer) readonly unbans!: number;
}
