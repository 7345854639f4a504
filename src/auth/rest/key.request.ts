import { applyDecorators, Post } from '@nestjs/common';
import { IsIn } from 'class-validator';
import type { ReferenceObject, SchemaObject } from '@nestjs/swagger';
import {
  ApiDescription,
  defineObject,
  definePage,
  getInputSchema,
  IfGiven,
  IsDuration,
  IsText,
  IsWholeNumber,
  Operation,
  PageRequest,
  TEXT_PATTERN,
  timeSchema,
  type DescribedBody,
  type DescribedOperation,
} from '#libs/http';
import { ApiKeyChanges, KeyBan } from '../commands/change-api-key.command.js';
import { IssueApiKey } from '../commands/issue-api-key.command.js';
import { IsPlan } from '../commands/key-values.rule.js';
import { KEY_STATUSES, type KeyStatus } from '../domain/api-key-view.js';
import { byWindow, ENTERPRISE_EXAMPLE, readPlan, WINDOWS, type Plan } from '../domain/plans.js';
import { MOST_DAYS, type WindowUsages } from '../queries/key-usage.query.js';

const banExample = { until: '2026-01-01T01:00:00.000Z', reason: 'A script of yours runs wild.' };
const DEFAULT_GRACE = '24h';
const LONGEST_GRACE = '7d';
const DEFAULT_DAYS = 30;

/** The query parameters of a list of keys. */
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
  type: ApiKeyChanges,
  mediaTypes: ['application/merge-patch+json', 'application/json'],
  schema: 'ApiKeyChanges',
  description: 'Changes of an API key; a member that is absent stays as it is.',
  noun: 'a change of an API key',
  examples: { scopes: { value: { scopes: ['pets', 'orders', 'events'] } }, end: { value: { expiresAt: '2027-01-01T00:00:00.000Z' } } },
};

/** The body of a request that bans a key. */
export const banBody: DescribedBody = {
  type: KeyBan,
  schema: 'NewKeyBan',
  description: 'A ban of an API key.',
  noun: 'a ban',
  examples: { hour: { value: { seconds: 3_600, reason: banExample.reason } } },
};

export const keyExample = {
  ...{ id: 7, name: 'Website', owner: 'Happy Paws GmbH', keyStart: 'C2FV', plan: 'free', limits: readPlan({ plan: 'free' }).limits },
  ...{ scopes: ['pets', 'orders'], status: 'active', createdAt: '2026-01-01T00:00:00.000Z' },
};

const secretExample = 'adopt_dev_C2FVsBQIhrscChlQIMVb5sSYspob7oD1nLQkCyjmH8a_1aB2cD';

const time = (description: string) => ({ ...timeSchema, description });
const text = (description: string) => ({ type: 'string', minLength: 1, maxLength: 255, pattern: TEXT_PATTERN, description });
const whole = (description: string, minimum = 0) => ({
  type: 'integer',
  format: 'int32',
  minimum,
  maximum: 2 ** 31 - 1,
  description,
});

const WINDOW_NAMES = WINDOWS.map(({ name }) => name);

const inputs = getInputSchema(IssueApiKey).properties;
const limitsText = `How many requests it may send ${WINDOW_NAMES.map((name) => `in a UTC ${name}`).join(' and ')}.`;
const plan = { ...inputs['plan'], description: 'The plan, which sets its limits.' };
const scopes = { ...inputs['scopes'], description: 'Its scopes.' };
const times = {
  createdAt: time('When it was issued, in UTC.'),
  expiresAt: time('When it expires, in UTC; absent if it never does.'),
};

const banSchema = defineObject('KeyBan', 'A ban in force.', ['until', 'reason'], {
  until: time('When it ends, in UTC.'),
  reason: text('The reason of the operator, or that the key continued to send after 429 responses.'),
});

const identity = {
  id: { type: 'integer', format: 'int64', minimum: 1, description: 'Assigned by the service; never used again.' },
  name: text('What the key is for.'),
  owner: text('Its owner; absent if unknown.'),
};

const properties: Record<string, SchemaObject | ReferenceObject> = {
  ...identity,
  keyStart: {
    type: 'string',
    maxLength: 4,
    pattern: '^[0-9A-Za-z]{4}$',
    description: 'The first four characters of its secret after the prefix, to tell keys apart.',
  },
  plan,
  limits: { ...inputs['limits'], description: limitsText },
  scopes,
  status: { type: 'string', enum: [...KEY_STATUSES], description: 'Whether it can be used now, and if not, why.' },
  ...times,
  revokedAt: time('When it was revoked, in UTC; absent if it was not.'),
  rotatedAt: time('When it was last rotated, in UTC; absent if it never was.'),
  previousSecretValidUntil: time('Until when the previous secret works too, in UTC; absent if it ended with the last rotation.'),
  ban: banSchema,
};
const required = ['id', 'name', 'plan', 'limits', 'scopes', 'status', 'createdAt'];

const secret = {
  type: 'string',
  maxLength: 62,
  pattern: '^adopt_(?:dev|stg|live)_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$',
  description: 'The secret, for `Authorization: Bearer <secret>`. Shown only in this response.',
};

const keySchema = defineObject('ApiKey', 'An API key, never with its secret.', required, properties);
export const keysSchema = definePage('ApiKeys', keySchema, 'A page of API keys, ascending by id.');
const rotatedKeySchema = defineObject('RotatedApiKey', 'An API key with its new secret.', [...required, 'secret'], {
  ...properties,
  secret,
});
const issuedKeySchema = defineObject(
  'IssuedApiKey',
  'An API key that was issued, with its secret unless the request repeats an earlier one.',
  required,
  { ...properties, secret, note: text('If there is no secret: how to get a new one.') },
);

const windowSchema = defineObject('KeyWindow', 'One window of the limits of a key.', ['limit', 'remaining', 'resetAt'], {
  limit: whole('How many requests may be sent in it.', 1),
  remaining: whole('How many are left.'),
  resetAt: time('When it ends, in UTC.'),
});

const windowsSchema = defineObject(
  'KeyWindows',
  'What a key has left.',
  WINDOW_NAMES,
  byWindow(() => windowSchema),
);

/** Returns what a key has left in the form of this schema. */
export function toWindows(windows: WindowUsages) {
  return byWindow(({ name }) => {
    const { limit, remaining, resetsAt } = windows[name];
    return { limit, remaining, resetAt: resetsAt };
  });
}

export const ownKeySchema = defineObject(
  'OwnApiKey',
  'The API key of the request.',
  ['id', 'name', 'plan', 'scopes', 'createdAt', 'limits'],
  {
    ...{ ...identity, plan, scopes, ...times },
    lastUsedAt: time('The minute of its last use, in UTC.'),
    limits: windowsSchema,
    ban: banSchema,
  },
);

const windowsExample = byWindow(({ free, seconds }, index) => ({
  limit: free,
  remaining: free - (index === 0 ? 3 : 43),
  resetAt: new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString(),
}));

const ownKeyExample = {
  ...{ id: 7, name: 'Website', owner: 'Happy Paws GmbH', plan: 'free', scopes: ['pets', 'orders'] },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', lastUsedAt: '2026-01-01T00:00:00.000Z', limits: windowsExample },
};

export const ownKeyExamples = { key: { value: ownKeyExample }, banned: { value: { ...ownKeyExample, ban: banExample } } };

const usageOfDaySchema = defineObject('KeyUsageOfDay', 'The requests of a key on one UTC day.', ['date', 'requests', 'refusals'], {
  date: { type: 'string', format: 'date', maxLength: 10, description: 'The day.' },
  requests: whole('Requests that were within the limits.'),
  refusals: whole('Requests that got a 429 response.'),
});

export const keyUsageSchema = defineObject('KeyUsage', 'What a key has used.', ['limits', 'days'], {
  lastUsedAt: time('The minute of its last use, in UTC; absent if it was never used.'),
  limits: windowsSchema,
  days: { type: 'array', maxItems: MOST_DAYS, items: usageOfDaySchema, description: 'All days up to today, oldest first.' },
});

export const keyUsageExample = {
  ...{ lastUsedAt: '2026-01-01T00:00:00.000Z', limits: windowsExample },
  days: [{ date: '2026-01-01', requests: 43, refusals: 0 }],
};

/** Describes the path parameter. */
export const KEY_ID = 'The id of the API key.';
export const keyAnswer = { schema: keySchema, examples: { key: { value: keyExample } } };
const withSecret = { value: { ...keyExample, secret: secretExample } };

export const issuedKeyAnswer = {
  description: 'The key that was issued.',
  schema: issuedKeySchema,
  examples: { issued: withSecret, repeated: { value: { ...keyExample, note: howToRotate(7n) } } },
};

export const rotatedKeyAnswer = {
  status: 200,
  description: 'The key with its new secret.',
  schema: rotatedKeySchema,
  examples: { rotated: withSecret },
} as const;

/** What the operations that change a key have in common. */
export const changesKey = {
  answer: { status: 200, tagged: true, description: 'The key after the change.', ...keyAnswer },
  refuses: [404, 409],
} as const;

type ActionDescription = Pick<DescribedOperation, 'summary' | 'description'> &
  Partial<Pick<DescribedOperation, 'answer'>> & {
    /** What follows the id in the sample of the client. */
    readonly sampleInput?: string;
  };

/** The route of an action on a key. */
export function KeyAction(action: string, { sampleInput = '', ...texts }: ActionDescription): MethodDecorator {
  const clientSample = `console.log(await client.keys.${action}(1n${sampleInput}));`;
  return applyDecorators(Post(`keys/:keyId/${action}`), Operation({ ...changesKey, ...texts, clientSample }));
}

/** The note for who repeats the request that issued a key. */
export function howToRotate(id: bigint): string {
  return `The secret was only in the first response. POST /v1/keys/${id}/rotate gives the key a new one.`;
}
