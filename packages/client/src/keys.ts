import type { AddOptions, CallOptions, MatchOptions, NoneMatchOptions, Tagged } from './conditions.js';
import type { ApiKey, ApiKeyChanges, IssuedApiKey, KeyUsage, NewApiKey, NewKeyBan, RotatedApiKey } from './document.js';
import { buildPath } from './integers.js';
import type { Pages } from './pages.js';
import type { Call, PageOptions, Requests, RotateOptions } from './requests.js';

const KEYS = '/v1/keys';

export interface KeyListOptions extends PageOptions {
  readonly status?: ApiKey<unknown>['status'] | undefined;
  readonly plan?: ApiKey<unknown>['plan'] | undefined;
  /** Only keys of exactly this owner. */
  readonly owner?: string | undefined;
  /** Only keys whose name contains this, in upper or lower case. */
  readonly name?: string | undefined;
  /** Only keys that have used more than this percentage of their UTC day, 0 to 99. */
  readonly usedAbove?: number | undefined;
}

export interface BanOptions extends CallOptions, NewKeyBan {}

export interface UsageOptions extends CallOptions {
  /** How many UTC days up to today, 1 to 400; 30 unless given. */
  readonly days?: number | undefined;
}

/** All API keys, for a key with the scope `keys:manage`. What would be done twice is tried again only after 429. */
export class Keys<Id> {
  readonly #requests: Requests<Id>;

  constructor(requests: Requests<Id>) {
    this.#requests = requests;
  }

  /** All keys that match, ascending by id, the expired and revoked ones too. Each iteration begins again at the first page. */
  list({ status, plan, owner, name, usedAbove, limit, signal }: KeyListOptions = {}): Pages<ApiKey<Id>> {
    return this.#requests.pages({ path: KEYS, query: { status, plan, owner, name, usedAbove, limit }, signal });
  }

  /** Issues a key, once, however often the request has to be sent. If the first response is lost, the secret is too: rotate the key then. */
  issue(key: NewApiKey, options?: CallOptions): Promise<IssuedApiKey<Id>>;
  issue(key: NewApiKey, options: AddOptions): Promise<IssuedApiKey<Id>>;
  issue(key: NewApiKey, options?: CallOptions): Promise<IssuedApiKey<Id>> {
    return this.#requests.add(KEYS, key, options);
  }

  /** @throws AdoptionError `not_found` if there is none */
  get(id: Id, options: NoneMatchOptions): Promise<Tagged<ApiKey<Id>> | undefined>;
  get(id: Id, options?: CallOptions): Promise<Tagged<ApiKey<Id>>>;
  get(id: Id, options: MatchOptions): Promise<Tagged<ApiKey<Id>>>;
  async get(id: Id, options?: CallOptions): Promise<Tagged<ApiKey<Id>> | undefined> {
    return this.#requests.read({ path: buildPath(KEYS, id), ...options });
  }

  /** Omitted members keep their values; null removes the owner or the end. */
  update(id: Id, changes: ApiKeyChanges, options?: CallOptions): Promise<Tagged<ApiKey<Id>>>;
  update(id: Id, changes: ApiKeyChanges, options: MatchOptions): Promise<Tagged<ApiKey<Id>>>;
  async update(id: Id, changes: ApiKeyChanges, options?: CallOptions): Promise<Tagged<ApiKey<Id>>> {
    return this.#requests.read({ method: 'PATCH', path: buildPath(KEYS, id), body: changes, ...options });
  }

  /** Gives a key a new secret. If the response is lost, the new secret is too: rotate it again. */
  rotate(id: Id, { grace, signal }: RotateOptions = {}): Promise<RotatedApiKey<Id>> {
    return this.#post(id, 'rotate', { query: { grace }, isRepeatable: false, signal });
  }

  /**
   * Ends a key permanently. Revoking it again changes nothing.
   * @throws AdoptionError `last_managing_key` if it is the client's own key and no other key in use manages keys
   */
  revoke(id: Id, options?: CallOptions): Promise<Tagged<ApiKey<Id>>>;
  revoke(id: Id, options: MatchOptions): Promise<Tagged<ApiKey<Id>>>;
  revoke(id: Id, options?: CallOptions): Promise<Tagged<ApiKey<Id>>> {
    return this.#post(id, 'revoke', options);
  }

  /** Refuses the requests of a key for a time, from now on. A ban that lasts longer stays. */
  ban(id: Id, { seconds, reason, signal }: BanOptions): Promise<Tagged<ApiKey<Id>>> {
    return this.#post(id, 'ban', { body: { seconds, reason }, isRepeatable: false, signal });
  }

  /** Ends the ban of a key, if there is one. */
  unban(id: Id, options?: CallOptions): Promise<Tagged<ApiKey<Id>>> {
    return this.#post(id, 'unban', options);
  }

  /** What is left of the limits of a key, and its requests of each UTC day, oldest first. */
  usage(id: Id, options: UsageOptions & NoneMatchOptions): Promise<Tagged<KeyUsage> | undefined>;
  usage(id: Id, options?: UsageOptions): Promise<Tagged<KeyUsage>>;
  usage(id: Id, options: UsageOptions & MatchOptions): Promise<Tagged<KeyUsage>>;
  async usage(id: Id, { days, ...options }: UsageOptions = {}): Promise<Tagged<KeyUsage> | undefined> {
    return this.#requests.read({ path: `${buildPath(KEYS, id)}/usage`, query: { days }, ...options });
  }

  async #post<Body>(id: Id, action: string, call?: Omit<Call, 'path'>): Promise<Body> {
    return this.#requests.read<Body>({ method: 'POST', path: `${buildPath(KEYS, id)}/${action}`, ...call });
  }
}
