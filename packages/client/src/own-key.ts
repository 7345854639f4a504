import type { CallOptions } from './conditions.js';
import type { OwnApiKey, RotatedApiKey } from './document.js';
import type { Requests, RotateOptions } from './requests.js';

const OWN_KEY = '/v1/key';

/** The API key of the client itself, whatever its scopes. */
export class OwnKey<Id> {
  readonly #requests: Requests<Id>;

  constructor(requests: Requests<Id>) {
    this.#requests = requests;
  }

  /** Reads the plan and scopes of the key, what is left of its limits, and its ban, if any. It counts as a request. */
  get(options?: CallOptions): Promise<OwnApiKey<Id>> {
    return this.#requests.read({ path: OWN_KEY, ...options });
  }

  /**
   * Gives the key a new secret. This client keeps sending the previous one: create another client with the new secret before the grace ends.
   * It is tried again only after 429. If the response is lost, the new secret is too: rotate again within the grace.
   */
  rotate({ grace, signal }: RotateOptions = {}): Promise<RotatedApiKey<Id>> {
    return this.#requests.read({ method: 'POST', path: `${OWN_KEY}/rotate`, query: { grace }, isRepeatable: false, signal });
  }
}
