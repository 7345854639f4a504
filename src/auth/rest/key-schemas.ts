import type { ReferenceObject, SchemaObject } from '@nestjs/swagger';
import { defineObject, definePage, getInputSchema, TEXT_PATTERN, timeSchema } from '#libs/http';
import { IssueApiKey } from '../commands/issue-api-key.command.js';
import { KEY_STATUSES } from '../domain/api-key-view.js';
import { byWindow, readPlan, WINDOWS } from '../domain/plans.js';
import { MOST_DAYS, type WindowUsages } from '../queries/key-usage.query.js';

export const banExample = { until: '2026-01-01T01:00:00.000Z', reason: 'A script of yours runs wild.' };

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

const values = getInputSchema(IssueApiKey).properties;
const limits: SchemaObject = {
  ...values['limits'],
  description: `How many requests it may send ${WINDOW_NAMES.map((name) => `in a UTC ${name}`).join(' and ')}.`,
};
const scopes: SchemaObject = { ...values['scopes'], description: 'Its scopes.' };
const plan: SchemaObject = { ...values['plan'], description: 'The plan, which sets its limits.' };

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
  limits,
  scopes,
  status: { type: 'string', enum: [...KEY_STATUSES], description: 'Whether it can be used now, and if not, why.' },
  createdAt: time('When it was issued, in UTC.'),
  expiresAt: time('When it expires, in UTC; absent if it never does.'),
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

const apiKey = 'An API key, never with its secret.';
export const keySchema = defineObject('ApiKey', apiKey, required, properties);
export const keysSchema = definePage('ApiKeys', keySchema, 'A page of API keys, ascending by id.');
export const rotatedKeySchema = defineObject('RotatedApiKey', 'An API key with its new secret.', [...required, 'secret'], {
  ...properties,
  secret,
});
export const issuedKeySchema = defineObject(
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
    ...{ ...identity, plan, scopes, createdAt: time('When it was issued, in UTC.') },
    expiresAt: time('When it expires, in UTC; absent if it never does.'),
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

export const ownKeyExample = {
  ...{ id: 7, name: 'Website', owner: 'Happy Paws GmbH', plan: 'free', scopes: ['pets', 'orders'] },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', lastUsedAt: '2026-01-01T00:00:00.000Z', limits: windowsExample },
};

export const bannedKeyExample = { ...ownKeyExample, ban: banExample };

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
export const withSecret = { value: { ...keyExample, secret: secretExample } };
/** The answer to a change of a key. */
export const changedKey = { status: 200, tagged: true, description: 'The key after the change.', ...keyAnswer } as const;
