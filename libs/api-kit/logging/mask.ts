const LONG_RUN = /[A-Za-z0-9_%-]{20,}/g;
const API_KEY = /adopt_[A-Za-z0-9_%-]*/gi;
const MASK = '***';
const SHOWN_CHARACTERS = 200;

/** A path fit for a log: whatever is long enough to be a key, or a part of one, is masked. */
export function maskPath(path: string): string {
  const masked = path.replace(LONG_RUN, MASK).replace(API_KEY, MASK);
  return masked.length > SHOWN_CHARACTERS ? `${masked.slice(0, SHOWN_CHARACTERS)}…` : masked;
}

/** A text fit for a log: API keys in it are masked. */
export function maskApiKeys(text: string): string {
  return text.replace(API_KEY, MASK);
}

/** Whether the text holds something that looks like an API key. */
export function holdsApiKey(text: string): boolean {
  return text.search(API_KEY) !== -1;
}
