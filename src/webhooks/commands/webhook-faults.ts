import { Injectable } from '@nestjs/common';
import { OutgoingHttp } from '#libs/outgoing-http';
import { EventTypes } from '../event-types.js';
import { isListOfEventTypes, isWebhookUrl } from './webhook-values.rule.js';

/** Finds what only the service can tell of the values of an endpoint, beside the rules of the commands. */
@Injectable()
export class WebhookFaults {
  constructor(
    private readonly addresses: OutgoingHttp,
    private readonly types: EventTypes,
  ) {}

  /** One reason a field, which it names; what breaks the rules of the command is left to them. */
  async of({ url, types }: { readonly url?: unknown; readonly types?: unknown }): Promise<string[]> {
    const problem = isWebhookUrl(url) ? await this.addresses.problemWith(url) : undefined;
    const unknown = isListOfEventTypes(types) ? this.types.unknownAmong(types) : [];
    return [
      ...(problem === undefined ? [] : [`url ${problem}`]),
      ...(unknown.length === 0 ? [] : [`types must be among ${this.types.names.join(', ')}`]),
    ];
  }
}
