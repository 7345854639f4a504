// Written by scripts/write-client-types.mjs from docs/reference/openapi.json.

/** An attempt that is to be made. */
export interface AcceptedDelivery<Id> {
  /** The id that it will have among the deliveries. */
  readonly id: Id;
}

/** The number of events to be sent again. */
export interface AcceptedReplay<Id> {
  /** How many events. */
  readonly events: Id;
}

/** A webhook endpoint that was added, with its secret unless this repeats an earlier answer. */
export interface AddedWebhook<Id> {
  /** Assigned by the service when it is added; never used again. */
  readonly id: Id;
  /** Where events are sent to. */
  readonly url: string;
  /** The names of the event types that are sent; one for all of them names all that there are now. */
  readonly types: readonly string[];
  /** Its purpose; absent if none was given. */
  readonly description?: string;
  /** Whether events are sent. */
  readonly enabled: boolean;
  /** Why events are not sent: its receiver said that it is gone, it failed for too long, or its owner turned it off. Absent if it is enabled. */
  readonly disabledReason?: 'gone' | 'failing' | 'owner';
  /** Why nothing is sent although it is enabled: its API key lacks the scope `events`. Absent if events are sent or it is disabled. */
  readonly silentReason?: 'key';
  /** When it was added, in UTC. */
  readonly createdAt: string;
  /** With what messages are signed: `whsec_` and the key in base64. Shown this once. */
  readonly secret?: string;
}

/** An API key, never with its secret. */
export interface ApiKey<Id> {
  /** Assigned by the service; never used again. */
  readonly id: Id;
  /** What the key is for. */
  readonly name: string;
  /** Its owner; absent if unknown. */
  readonly owner?: string;
  /** The first four characters of its secret after the prefix, to tell keys apart. */
  readonly keyStart?: string;
  /** The plan, which sets its limits. */
  readonly plan: 'free' | 'pro' | 'business' | 'enterprise';
  /** How many requests it may send in a UTC minute and in a UTC day. */
  readonly limits: { readonly perMinute: number; readonly perDay: number };
  /** Its scopes. */
  readonly scopes: readonly string[];
  /** Whether it can be used now, and if not, why. */
  readonly status: 'active' | 'expired' | 'revoked' | 'banned';
  /** When it was issued, in UTC. */
  readonly createdAt: string;
  /** When it expires, in UTC; absent if it never does. */
  readonly expiresAt?: string;
  /** When it was revoked, in UTC; absent if it was not. */
  readonly revokedAt?: string;
  /** When it was last rotated, in UTC; absent if it never was. */
  readonly rotatedAt?: string;
  /** Until when the previous secret works too, in UTC; absent if it ended with the last rotation. */
  readonly previousSecretValidUntil?: string;
  readonly ban?: KeyBan;
}

/** Changes of an API key; a member that is absent stays as it is. */
export interface ApiKeyChanges {
  /** What the key is for. 1 to 255 Unicode characters by the rules of a name. */
  readonly name?: string | undefined;
  /** The owner; null removes it. 1 to 255 Unicode characters by the rules of a name. */
  readonly owner?: string | null | undefined;
  /** When it expires; null: never. */
  readonly expiresAt?: string | null | undefined;
  /** The plan, which sets its limits. */
  readonly plan?: 'free' | 'pro' | 'business' | 'enterprise' | undefined;
  /** Limits of the plan `enterprise`; a limit that is absent stays. */
  readonly limits?: { readonly perMinute?: number; readonly perDay?: number } | undefined;
  /** All its scopes after the change. */
  readonly scopes?: readonly string[] | undefined;
}

/** An attempt to send an event to a webhook endpoint. */
export interface Delivery<Id> {
  /** Assigned by the service; never used again. */
  readonly id: Id;
  /** The `id` of the event; of a test one that is not in the log. */
  readonly eventId: string;
  /** The type of the event, or `webhook.test`. */
  readonly type: string;
  /** Which attempt to send the event it was. */
  readonly attempt: number;
  /** The status of the response; absent without a response. */
  readonly status?: number;
  /** Why it failed; absent if it was delivered. */
  readonly error?: string;
  /** How long it took. */
  readonly durationMilliseconds: number;
  /** When it was made, in UTC. */
  readonly attemptedAt: string;
  /** When the event is sent again; absent if it is not. */
  readonly nextAttemptAt?: string;
}

/** How many animals have each status. */
export interface Inventory<Id> {
  /** Animals that are available. */
  readonly available: Id;
  /** Animals that are reserved, or pending by hand. */
  readonly pending: Id;
  /** Animals that are adopted. */
  readonly sold: Id;
  /** Animals that are without a status. */
  readonly unset: Id;
}

/** An API key that was issued, with its secret unless the request repeats an earlier one. */
export interface IssuedApiKey<Id> {
  /** Assigned by the service; never used again. */
  readonly id: Id;
  /** What the key is for. */
  readonly name: string;
  /** Its owner; absent if unknown. */
  readonly owner?: string;
  /** The first four characters of its secret after the prefix, to tell keys apart. */
  readonly keyStart?: string;
  /** The plan, which sets its limits. */
  readonly plan: 'free' | 'pro' | 'business' | 'enterprise';
  /** How many requests it may send in a UTC minute and in a UTC day. */
  readonly limits: { readonly perMinute: number; readonly perDay: number };
  /** Its scopes. */
  readonly scopes: readonly string[];
  /** Whether it can be used now, and if not, why. */
  readonly status: 'active' | 'expired' | 'revoked' | 'banned';
  /** When it was issued, in UTC. */
  readonly createdAt: string;
  /** When it expires, in UTC; absent if it never does. */
  readonly expiresAt?: string;
  /** When it was revoked, in UTC; absent if it was not. */
  readonly revokedAt?: string;
  /** When it was last rotated, in UTC; absent if it never was. */
  readonly rotatedAt?: string;
  /** Until when the previous secret works too, in UTC; absent if it ended with the last rotation. */
  readonly previousSecretValidUntil?: string;
  readonly ban?: KeyBan;
  /** The secret, for `Authorization: Bearer <secret>`. Shown only in this response. */
  readonly secret?: string;
  /** If there is no secret: how to get a new one. */
  readonly note?: string;
}

/** A ban in force. */
export interface KeyBan {
  /** When it ends, in UTC. */
  readonly until: string;
  /** The reason of the operator, or that the key continued to send after 429 responses. */
  readonly reason: string;
}

/** What a key has used. */
export interface KeyUsage {
  /** The minute of its last use, in UTC; absent if it was never used. */
  readonly lastUsedAt?: string;
  readonly limits: KeyWindows;
  /** All days up to today, oldest first. */
  readonly days: readonly KeyUsageOfDay[];
}

/** The requests of a key on one UTC day. */
export interface KeyUsageOfDay {
  /** The day. */
  readonly date: string;
  /** Requests that were within the limits. */
  readonly requests: number;
  /** Requests that got a 429 response. */
  readonly refusals: number;
}

/** One window of the limits of a key. */
export interface KeyWindow {
  /** How many requests may be sent in it. */
  readonly limit: number;
  /** How many are left. */
  readonly remaining: number;
  /** When it ends, in UTC. */
  readonly resetAt: string;
}

/** What a key has left. */
export interface KeyWindows {
  readonly minute: KeyWindow;
  readonly day: KeyWindow;
}

/** An API key to be issued. */
export interface NewApiKey {
  /** What the key is for. 1 to 255 Unicode characters by the rules of a name. */
  readonly name: string;
  /** The owner: who gets the key. 1 to 255 Unicode characters by the rules of a name. */
  readonly owner?: string | undefined;
  /** When it expires; default: never. */
  readonly expiresAt?: string | undefined;
  /** The plan, which sets its limits; default: `free`. */
  readonly plan?: 'free' | 'pro' | 'business' | 'enterprise' | undefined;
  /** Limits of the plan `enterprise`, required for it; other plans have none. */
  readonly limits?: { readonly perMinute: number; readonly perDay: number } | undefined;
  /** Its scopes; default: the default scopes of new keys. */
  readonly scopes?: readonly string[] | undefined;
}

/** A ban of an API key. */
export interface NewKeyBan {
  /** Length of the ban, at most a year. */
  readonly seconds: number;
  /** The reason, shown to the client that uses the key. 1 to 255 Unicode characters by the rules of a name. */
  readonly reason: string;
}

/** An order for one animal. */
export interface NewOrder<Id> {
  /** The animal that is ordered. */
  readonly petId: Id;
  /** Always 1, since an animal is one of its kind. */
  readonly quantity?: number | undefined;
  /** What the store should know, kept exactly as sent. 1 to 1,000 Unicode characters by the rules of a name. */
  readonly note?: string | undefined;
}

/** An animal to be added. */
export interface NewAnimal<Id> {
  /** The name, kept exactly as sent. 1 to 255 Unicode characters, not blank, without U+0000 and lone surrogates. */
  readonly name: string;
  /** The category of the animal; any int64, written in digits. */
  readonly categoryId: Id;
  readonly status?: AnimalStatus | undefined;
}

/** A webhook endpoint to be added. */
export interface NewWebhook {
  /** Where events are sent to: an absolute `https` URL, at most 2,048 characters. */
  readonly url: string;
  /** The names of the event types to send, each once. Default: all, including future ones. */
  readonly types?: readonly string[] | undefined;
  /** What it is for, kept exactly as sent. 1 to 1,000 Unicode characters by the rules of a name. */
  readonly description?: string | undefined;
  /** Whether events are sent. Default: true. */
  readonly enabled?: boolean | undefined;
}

/** An order, which reserves an animal. Without a note if none was given. */
export interface Order<Id> {
  /** Assigned by the service when it is placed; never used again. */
  readonly id: Id;
  /** The animal that is ordered. */
  readonly petId: Id;
  /** Always 1, since an animal is one of its kind. */
  readonly quantity: number;
  /** What the store should know, kept exactly as sent. 1 to 1,000 Unicode characters by the rules of a name. */
  readonly note?: string;
  readonly status: OrderStatus;
  /** When it was placed, in UTC. */
  readonly placedAt: string;
  /** From when it no longer holds its animal; fixed when it is placed, and absent once the order was approved. */
  readonly expiresAt?: string;
  /** Grows by one with each change. */
  readonly version: Id;
}

/** Why an order is cancelled. */
export interface OrderCancellation {
  /** Why it is cancelled. 1 to 1,000 Unicode characters by the rules of a name. */
  readonly reason?: string | undefined;
}

/** Where an order is; `delivered`, `cancelled` and `expired` are final. */
export type OrderStatus = 'placed' | 'approved' | 'delivered' | 'cancelled' | 'expired';

/** The API key of the request. */
export interface OwnApiKey<Id> {
  /** Assigned by the service; never used again. */
  readonly id: Id;
  /** What the key is for. */
  readonly name: string;
  /** Its owner; absent if unknown. */
  readonly owner?: string;
  /** The plan, which sets its limits. */
  readonly plan: 'free' | 'pro' | 'business' | 'enterprise';
  /** Its scopes. */
  readonly scopes: readonly string[];
  /** When it was issued, in UTC. */
  readonly createdAt: string;
  /** When it expires, in UTC; absent if it never does. */
  readonly expiresAt?: string;
  /** The minute of its last use, in UTC. */
  readonly lastUsedAt?: string;
  readonly limits: KeyWindows;
  readonly ban?: KeyBan;
}

/** An animal. Without a status if none was given. */
export interface Animal<Id> {
  /** Assigned by the service; never used again. */
  readonly id: Id;
  /** The name, kept exactly as sent. 1 to 255 Unicode characters, not blank, without U+0000 and lone surrogates. */
  readonly name: string;
  /** The category of the animal; any int64, written in digits. */
  readonly categoryId: Id;
  readonly status?: AnimalStatus;
}

/** A change of an animal; omitted members keep their values. */
export interface AnimalChanges<Id> {
  /** The name, kept exactly as sent. 1 to 255 Unicode characters, not blank, without U+0000 and lone surrogates. */
  readonly name?: string | undefined;
  /** The category of the animal; any int64, written in digits. */
  readonly categoryId?: Id | undefined;
  readonly status?: AnimalStatus | undefined;
}

/** Availability for adoption. */
export type AnimalStatus = 'available' | 'pending' | 'sold';

/** An API key with its new secret. */
export interface RotatedApiKey<Id> {
  /** Assigned by the service; never used again. */
  readonly id: Id;
  /** What the key is for. */
  readonly name: string;
  /** Its owner; absent if unknown. */
  readonly owner?: string;
  /** The first four characters of its secret after the prefix, to tell keys apart. */
  readonly keyStart?: string;
  /** The plan, which sets its limits. */
  readonly plan: 'free' | 'pro' | 'business' | 'enterprise';
  /** How many requests it may send in a UTC minute and in a UTC day. */
  readonly limits: { readonly perMinute: number; readonly perDay: number };
  /** Its scopes. */
  readonly scopes: readonly string[];
  /** Whether it can be used now, and if not, why. */
  readonly status: 'active' | 'expired' | 'revoked' | 'banned';
  /** When it was issued, in UTC. */
  readonly createdAt: string;
  /** When it expires, in UTC; absent if it never does. */
  readonly expiresAt?: string;
  /** When it was revoked, in UTC; absent if it was not. */
  readonly revokedAt?: string;
  /** When it was last rotated, in UTC; absent if it never was. */
  readonly rotatedAt?: string;
  /** Until when the previous secret works too, in UTC; absent if it ended with the last rotation. */
  readonly previousSecretValidUntil?: string;
  readonly ban?: KeyBan;
  /** The secret, for `Authorization: Bearer <secret>`. Shown only in this response. */
  readonly secret: string;
}

/** An address to which events are sent. */
export interface Webhook<Id> {
  /** Assigned by the service when it is added; never used again. */
  readonly id: Id;
  /** Where events are sent to. */
  readonly url: string;
  /** The names of the event types that are sent; one for all of them names all that there are now. */
  readonly types: readonly string[];
  /** Its purpose; absent if none was given. */
  readonly description?: string;
  /** Whether events are sent. */
  readonly enabled: boolean;
  /** Why events are not sent: its receiver said that it is gone, it failed for too long, or its owner turned it off. Absent if it is enabled. */
  readonly disabledReason?: 'gone' | 'failing' | 'owner';
  /** Why nothing is sent although it is enabled: its API key lacks the scope `events`. Absent if events are sent or it is disabled. */
  readonly silentReason?: 'key';
  /** When it was added, in UTC. */
  readonly createdAt: string;
}

/** A change of a webhook endpoint; omitted members keep their values. */
export interface WebhookChanges {
  /** Where events are sent to from now on: an absolute `https` URL, at most 2,048 characters. */
  readonly url?: string | undefined;
  /** The names of the event types that are sent from now on, each once; null for all of them, also those to come. */
  readonly types?: readonly string[] | null | undefined;
  /** What it is for, kept exactly as sent; null for nothing. 1 to 1,000 Unicode characters by the rules of a name. */
  readonly description?: string | null | undefined;
  /** Whether events are sent. */
  readonly enabled?: boolean | undefined;
}

/** The webhook endpoint that is tried. */
export interface WebhookTest<Id> {
  /** The id of the endpoint. */
  readonly id: Id;
}

/** A webhook endpoint with its new secret. */
export interface WebhookWithSecret<Id> {
  /** Assigned by the service when it is added; never used again. */
  readonly id: Id;
  /** Where events are sent to. */
  readonly url: string;
  /** The names of the event types that are sent; one for all of them names all that there are now. */
  readonly types: readonly string[];
  /** Its purpose; absent if none was given. */
  readonly description?: string;
  /** Whether events are sent. */
  readonly enabled: boolean;
  /** Why events are not sent: its receiver said that it is gone, it failed for too long, or its owner turned it off. Absent if it is enabled. */
  readonly disabledReason?: 'gone' | 'failing' | 'owner';
  /** Why nothing is sent although it is enabled: its API key lacks the scope `events`. Absent if events are sent or it is disabled. */
  readonly silentReason?: 'key';
  /** When it was added, in UTC. */
  readonly createdAt: string;
  /** With what messages are signed: `whsec_` and the key in base64. Shown this once. */
  readonly secret: string;
}

/** A stable name of why a request was refused. */
export type ErrorCode =
  | 'conflict'
  | 'expectation_failed'
  | 'gone'
  | 'headers_too_large'
  | 'idempotency_key_in_progress'
  | 'idempotency_key_reused'
  | 'insufficient_scope'
  | 'internal_error'
  | 'invalid_parameter'
  | 'invalid_request'
  | 'key_banned'
  | 'key_ended'
  | 'last_managing_key'
  | 'log_rewound'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'not_found'
  | 'order_not_approved'
  | 'order_not_open'
  | 'order_not_placed'
  | 'payload_too_large'
  | 'pet_has_open_order'
  | 'pet_not_available'
  | 'precondition_failed'
  | 'rate_limited'
  | 'request_timeout'
  | 'service_unavailable'
  | 'too_many_secrets'
  | 'too_many_streams'
  | 'too_many_webhooks'
  | 'unauthorized'
  | 'unsupported_media_type'
  | 'uri_too_long'
  | 'webhook_disabled';

/** The data of an event, by its type. */
export interface EventData<Id> {
  readonly 'order.placed': Order<Id>;
  readonly 'order.approved': Order<Id>;
  readonly 'order.delivered': Order<Id>;
  readonly 'order.cancelled': Order<Id>;
  readonly 'order.expired': Order<Id>;
  readonly 'pet.added': Animal<Id>;
  readonly 'pet.status_changed': Animal<Id>;
  readonly 'pet.corrected': Animal<Id>;
  readonly 'pet.withdrawn': Animal<Id>;
  readonly 'webhook.test': WebhookTest<Id>;
}

/** What has happened. */
export type EventType = Exclude<keyof EventData<unknown>, 'webhook.test'>;

/** What has happened; `type` says which event it is. Further types, and further members of `data`, may come. */
export interface EventOf<Type extends keyof EventData<unknown>, Id> {
  /** The version of CloudEvents. */
  readonly specversion: '1.0';
  /** Its place in the log: ascending, with gaps, never given twice. */
  readonly id: string;
  /** The deployment that it comes from, under which no two events have one id. */
  readonly source: string;
  /** The subject of the event, as a path such as `pets/7`. */
  readonly subject: string;
  /** When it was recorded, to the millisecond, in UTC. */
  readonly time: string;
  /** What `data` is. */
  readonly datacontenttype: 'application/json';
  /** The address of the JSON schema of `data`. */
  readonly dataschema: string;
  /** The id with zeros before it, so that it sorts as a text. */
  readonly sequence: string;
  /** What has happened, such as `pet.added`. */
  readonly type: Type;
  /** The subject of the event, in the form that REST returned just after the event. */
  readonly data: EventData<Id>[Type];
}

/** An event of one of these types, of any type unless given. Its `type` says which. */
export type AdoptionEvent<Id, Type extends EventType = EventType> = { [Each in Type]: EventOf<Each, Id> }[Type];

/** What a webhook endpoint receives: an event, or the message that tries the endpoint. */
export type WebhookEvent<Id> = AdoptionEvent<Id> | EventOf<'webhook.test', Id>;

/** The names of members that are int64, wherever they stand. */
export const INT64_MEMBERS: ReadonlySet<string> = new Set([
  'available',
  'categoryId',
  'events',
  'id',
  'pending',
  'petId',
  'sold',
  'unset',
  'version',
]);
