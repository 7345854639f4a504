import { applyDecorators, Inject, Injectable } from '@nestjs/common';
import {
  createRule,
  OutgoingHttp,
  eventTypeSchema,
  IsText,
  isText,
  namesThisMachine,
  Secret,
  textErrors,
  type Unchecked,
} from '#libs/http';
import type { FieldError } from '#libs/observability';
import type { WebhookChanges } from '../domain/webhook.decider.js';
import { WebhookReader } from '../read-model/webhook.reader.js';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from '../webhooks.settings.js';

const MAX_URL_LENGTH = 2_048;
export const MAX_DESCRIPTION_LENGTH = 1_000;

/** Values of an endpoint as a caller gave them, before the rules of the command are checked. */
export type WebhookInput = Unchecked<WebhookChanges>;

/** The property is the address of an endpoint, which may hold a secret; `WebhookInputCheck` tells whether it may be called. */
export function IsWebhookUrl(): PropertyDecorator {
  return applyDecorators(IsText(MAX_URL_LENGTH), Secret());
}

/** The property is a list of names, at least one and each once; `WebhookInputCheck` tells whether there are such event types. */
export function IsListOfEventTypes(): PropertyDecorator {
  return createRule({
    name: 'isListOfEventTypes',
    schema: { type: 'array', items: eventTypeSchema, minItems: 1, maxItems: 100, uniqueItems: true },
    isValid: isListOfEventTypes,
    expected: 'must be an array of the names of event types, at least one and each once',
  });
}

/** Checks what the rules of a command cannot know: which addresses may be called and which event types there are. */
@Injectable()
export class WebhookInputCheck {
  constructor(
    private readonly http: OutgoingHttp,
    private readonly reader: WebhookReader,
    @Inject(WEBHOOKS_OPTIONS) private readonly options: WebhooksOptions,
  ) {}

  /** Returns one error a field, which it names; none for a field that breaks the rules of the command. */
  async findErrors({ url, types }: WebhookInput): Promise<FieldError[]> {
    const { eventTypes } = this.reader;
    const problem = isText(url, MAX_URL_LENGTH) && textErrors('url', url).length === 0 ? await this.problemWith(url) : undefined;
    const isUnknown = isListOfEventTypes(types) && types.some((type) => !eventTypes.includes(type));
    return [
      ...(problem === undefined ? [] : [{ field: 'url', rule: 'endpoint', message: `url ${problem}` }]),
      ...(isUnknown ? [{ field: 'types', rule: 'in', message: `types must be among ${eventTypes.join(', ')}` }] : []),
    ];
  }

  /** In development the message tells how this machine can be called. */
  private async problemWith(url: string): Promise<string | undefined> {
    const problem = await this.http.problemWith(url);
    const { deployment, settings } = this.options;
    if (problem === undefined || deployment !== 'development' || settings.allowLoopback || !namesThisMachine(url)) return problem;
    return `${problem}; to call this machine in development, start the service with WEBHOOK_ALLOW_LOOPBACK=true`;
  }
}

function isListOfEventTypes(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string') && new Set(value).size === value.length
  );
}
