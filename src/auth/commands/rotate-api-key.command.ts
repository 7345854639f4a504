import { randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { createToken, DEPLOYMENT, hashToken, readKeyStart, TOKEN_RANDOM_BYTES, type Deployment } from '../domain/api-key-token.js';
import type { ApiKeyView } from '../domain/api-key-view.js';
import { KeyDecisions, type KeyRequest } from './key-decisions.js';

/** A key with its new token, shown only now. */
export type RotatedApiKey = ApiKeyView & { readonly key: string };

export interface RotateApiKeyInput extends KeyRequest {
  readonly id: bigint;
  /** Milliseconds for which the previous token still works. Default: 0, it ends at once. */
  readonly grace?: number | undefined;
}

/** Gives an API key a new token. A token older than the previous one ends at once. */
export class RotateApiKey extends Command<RotatedApiKey> {
  constructor(readonly input: RotateApiKeyInput) {
    super();
  }
}

@CommandHandler(RotateApiKey)
export class RotateApiKeyHandler implements ICommandHandler<RotateApiKey> {
  constructor(
    private readonly decisions: KeyDecisions,
    @Inject(DEPLOYMENT) private readonly deployment: Deployment,
  ) {}

  /** @throws as `KeyDecisions` does */
  async execute({ input: { id, grace = 0, ...request } }: RotateApiKey): Promise<RotatedApiKey> {
    const { token, ...stored } = createSecret(this.deployment);
    const { apiKey } = await this.decisions.change(id, { type: 'rotate', ...stored, grace }, request);
    return { ...apiKey, key: token };
  }
}

/** Makes a new token, with what is stored of it. */
export function createSecret(deployment: Deployment) {
  const token = createToken(deployment, randomBytes(TOKEN_RANDOM_BYTES));
  return { token, hash: hashToken(token), keyStart: readKeyStart(token) };
}
