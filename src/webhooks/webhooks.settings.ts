import { integer, list, type ModuleContext, seconds, setting, type SettingValues, trueOrFalse } from '#libs/http';

const YEAR_SECONDS = 31_536_000;

/** Times are in milliseconds. */
export const webhookSettings = {
  perKey: setting('WEBHOOKS_PER_KEY', integer(1, 10_000), { default: '100', description: 'How many webhook endpoints one key may have' }),
  allowedPorts: setting('WEBHOOK_ALLOW', list(integer(1, 65_535)), {
    default: '',
    description: 'Further ports, besides 443 and 8443, that webhook endpoints may have, such as `9443,10443`',
  }),
  allowLoopback: setting('WEBHOOK_ALLOW_LOOPBACK', trueOrFalse, {
    default: 'false',
    description:
      'Whether webhook endpoints may be on this machine, at any port and also with `http`: `true` only for development, never in production',
    refusedInProduction: { text: 'true', reason: 'where it would turn messages against this machine' },
  }),
  retryDelays: setting('WEBHOOK_RETRY_SECONDS', list(seconds(1, YEAR_SECONDS), 1), {
    default: '5,300,1800,7200,18000,36000,50400,72000,86400',
    description: 'Seconds before the second, third, … attempt to send an event; after the last attempt the event is dropped',
  }),
  timeout: setting('WEBHOOK_TIMEOUT_SECONDS', seconds(1, 300), {
    default: '15',
    description: 'Seconds that a receiver may take to answer',
  }),
  disableAfter: setting('WEBHOOK_DISABLE_AFTER_SECONDS', seconds(1, YEAR_SECONDS), {
    default: '432000',
    description: 'Seconds for which all attempts to send to a webhook endpoint may fail until it is disabled',
  }),
};

/** Injection token of the options of the module. */
export const WEBHOOKS_OPTIONS = Symbol('WEBHOOKS_OPTIONS');

export interface WebhooksOptions extends Pick<ModuleContext, 'polls' | 'deployment'> {
  readonly settings: SettingValues<typeof webhookSettings>;
}
