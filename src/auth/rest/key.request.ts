import { IsIn } from 'class-validator';
import { ApiDescription, IfGiven, IsDuration, IsText, IsWholeNumber, PageRequest, type DescribedBody } from '#libs/http';
import { ImposeBan, UpdateApiKey } from '../commands/change-api-key.command.js';
import { IssueApiKey } from '../commands/issue-api-key.command.js';
import { IsPlan } from '../commands/key-values.rule.js';
import { KEY_STATUSES, type KeyStatus } from '../domain/api-key-view.js';
import { ENTERPRISE_EXAMPLE, type Plan } from '../domain/plans.js';
import { MOST_DAYS } from '../queries/key-usage.query.js';
import { banExample } from './key-schemas.js';

const DEFAULT_GRACE = '24h';
const LONGEST_GRACE = '7d';
const DEFAULT_DAYS = 30;

export class ListKeysRequest extends PageRequest {
  @IfGiven()
  @IsIn(KEY_STATUSES, { message: `$property must be one of ${KEY_STATUSES.join(', ')}` })
  @ApiDescription('Only keys with this status now.')
  readonly status?: KeyStatus;

  @IfGiven()
  @IsPlan()
  @ApiDescription('Only keys on this plan.')
  readonly plan?: Plan;

  @IfGiven()
  @IsText(255)
  @ApiDescription('Only keys with exactly this owner.')
  readonly owner?: string;

  @IfGiven()
  @IsText(255)
  @ApiDescription('Only keys whose name contains this text, ignoring case.')
  readonly name?: string;

  @IfGiven()
  @IsWholeNumber(0, 99)
  @ApiDescription('Only keys that have used more than this percentage of their UTC day.', 80)
  readonly usedAbove?: number;
}

/** The query parameters of a rotation. */
export class RotateKeyRequest {
  @IsDuration(LONGEST_GRACE)
  @ApiDescription(
    `How long the previous secret works too: a whole number and a unit, such as \`90m\` or \`0s\`, at most ${LONGEST_GRACE}; default: ${DEFAULT_GRACE}. \`0s\` ends all other secrets at once.`,
  )
  readonly grace: string = DEFAULT_GRACE;
}

/** The query parameters of a key's usage. */
export class KeyUsageRequest {
  @IsWholeNumber(1, MOST_DAYS)
  @ApiDescription('Number of days up to today.')
  readonly days: number = DEFAULT_DAYS;
}

/** The body of a request that issues a key. */
export const newKeyBody: DescribedBody = {
  type: IssueApiKey,
  schema: 'NewApiKey',
  description: 'An API key to be issued.',
  noun: 'a new API key',
  examples: {
    free: { value: { name: 'Website', owner: 'Happy Paws GmbH' } },
    enterprise: {
      value: { name: 'Shop', plan: 'enterprise', limits: ENTERPRISE_EXAMPLE, scopes: ['pets', 'orders'] },
    },
  },
};

/** The body of a request that changes a key (RFC 7396). */
export const keyChangesBody: DescribedBody = {
  type: UpdateApiKey,
  without: [],
  mediaTypes: ['application/merge-patch+json', 'application/json'],
  schema: 'ApiKeyChanges',
  description: 'Changes of an API key; a member that is absent stays as it is.',
  noun: 'a change of an API key',
  examples: { scopes: { value: { scopes: ['pets', 'orders', 'events'] } }, end: { value: { expiresAt: '2027-01-01T00:00:00.000Z' } } },
};

/** The body of a request that bans a key. */
export const banBody: DescribedBody = {
  type: ImposeBan,
  without: [],
  schema: 'NewKeyBan',
  description: 'A ban of an API key.',
  noun: 'a ban',
  examples: { hour: { value: { seconds: 3_600, reason: banExample.reason } } },
};
