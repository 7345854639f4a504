/** The category of the streams of API keys. */
export const API_KEY_CATEGORY = 'api-key';

const PREFIX = `${API_KEY_CATEGORY}-`;

/** `api-key-7` for 7: the key's stream, and its name as an actor. */
export function apiKeyStream(id: bigint): string {
  return `${PREFIX}${id}`;
}

/** 7 for `api-key-7`. */
export function apiKeyIdOf(stream: string): bigint {
  return BigInt(stream.slice(PREFIX.length));
}
