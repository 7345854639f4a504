/** One secret of an API key, known by the hash of its token. */
export interface ApiKeySecret {
  readonly hash: string;
  /** ISO time from which it is refused; null: it lasts as long as the key. */
  readonly validUntil: string | null;
  /** The version of the event that wrote it. */
  readonly version: number;
}

/** A rotation as it matters to the secrets. */
export interface SecretRotation {
  readonly hash: string;
  readonly previousValidUntil: string | null;
  readonly version: number;
}

/** The secrets after a rotation: the new one and, where it was given a grace, the one before it. Older ones have ended. */
export function rotateSecrets(
  secrets: readonly ApiKeySecret[],
  { hash, previousValidUntil, version }: SecretRotation,
): readonly ApiKeySecret[] {
  const added = { hash, validUntil: null, version };
  if (previousValidUntil === null) return [added];
  const previous = secrets.filter(({ validUntil }) => validUntil === null);
  return [...previous.map((secret) => ({ ...secret, validUntil: previousValidUntil, version })), added];
}
