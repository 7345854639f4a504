import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, IsNull, MoreThan, Repository } from 'typeorm';
import { READ_CONNECTION } from '#libs/database';
import { ReadModels, type PageRange } from '#libs/projections';
import { ApiKeyNotFoundError } from '../domain/api-key.errors.js';
import { toApiKeyCredential, type ApiKeyCredential } from './api-key-credential.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeySecretEntity } from './api-key-secret.entity.js';
import { apiKeysProjection } from './api-keys.projection.js';
import { toApiKeyView, type ApiKeyView } from './api-key.view.js';

/** Reads API keys as of the last acknowledged change. */
@Injectable()
export class ApiKeyReader {
  constructor(
    @InjectRepository(ApiKeyEntity, READ_CONNECTION) private readonly keys: Repository<ApiKeyEntity>,
    @InjectRepository(ApiKeySecretEntity, READ_CONNECTION) private readonly secrets: Repository<ApiKeySecretEntity>,
    private readonly readModels: ReadModels,
  ) {}

  /** All keys, ascending by id, the revoked ones too. */
  async list(): Promise<ApiKeyView[]> {
    await this.readModels.current(apiKeysProjection);
    const entities = await this.keys.find({ order: { id: 'ASC' } });
    return entities.map(toApiKeyView);
  }

  /** At most `limit` keys with greater ids than `after`, ascending by id. */
  async page({ limit, after }: PageRange): Promise<ApiKeyView[]> {
    const where = after === undefined ? {} : { id: MoreThan(after) };
    await this.readModels.current(apiKeysProjection);
    const entities = await this.keys.find({ where, order: { id: 'ASC' }, take: limit });
    return entities.map(toApiKeyView);
  }

  /** How many keys there are, the revoked ones too. */
  async count(): Promise<number> {
    await this.readModels.current(apiKeysProjection);
    return this.keys.count();
  }

  /** Whether there is a key that is neither revoked nor expired at this time, an ISO text. */
  async hasUsable(now: string): Promise<boolean> {
    await this.readModels.current(apiKeysProjection);
    const unrevoked = { revokedAt: IsNull() };
    return this.keys.existsBy([
      { ...unrevoked, expiresAt: IsNull() },
      { ...unrevoked, expiresAt: MoreThan(now) },
    ]);
  }

  /** Those of the keys that there are. */
  async findAll(ids: readonly bigint[]): Promise<ApiKeyView[]> {
    await this.readModels.current(apiKeysProjection);
    return (await this.keys.findBy({ id: In(ids) })).map(toApiKeyView);
  }

  /** @throws ApiKeyNotFoundError */
  async get(id: bigint): Promise<ApiKeyView> {
    await this.readModels.current(apiKeysProjection);
    const entity = await this.keys.findOneBy({ id });
    if (!entity) throw new ApiKeyNotFoundError(id);
    return toApiKeyView(entity);
  }

  /** What the tokens with these hashes stand for, also when they may no longer be used; those that nobody knows are left out. */
  async findByHash(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKeyCredential>> {
    // `find` reads key and secret in one statement; `findOne` with a relation takes two.
    await this.readModels.current(apiKeysProjection);
    const secrets = await this.secrets.find({ where: { hash: In(hashes) }, relations: { key: true } });
    return new Map(secrets.map((secret) => [secret.hash, toApiKeyCredential(secret)]));
  }
}
