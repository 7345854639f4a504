import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, Repository } from 'typeorm';
import { READ_CONNECTION } from '#libs/database';
import { ApiKeyNotFoundError } from '../domain/api-key.errors.js';
import { toApiKeyCredential, type ApiKeyCredential } from './api-key-credential.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeySecretEntity } from './api-key-secret.entity.js';
import { toApiKeyView, type ApiKeyView } from './api-key.view.js';

/** Reads API keys as of the last commit. */
@Injectable()
export class ApiKeyReader {
  constructor(
    @InjectRepository(ApiKeyEntity, READ_CONNECTION) private readonly keys: Repository<ApiKeyEntity>,
    @InjectRepository(ApiKeySecretEntity, READ_CONNECTION) private readonly secrets: Repository<ApiKeySecretEntity>,
  ) {}

  /** All keys, ascending by id, the revoked ones too. */
  async list(): Promise<ApiKeyView[]> {
    const entities = await this.keys.find({ order: { id: 'ASC' } });
    return entities.map(toApiKeyView);
  }

  /** At most `limit` keys with greater ids than `after`, ascending by id. */
  async page({ limit, after }: { readonly limit: number; readonly after?: bigint }): Promise<ApiKeyView[]> {
    const where = after === undefined ? {} : { id: MoreThan(after) };
    const entities = await this.keys.find({ where, order: { id: 'ASC' }, take: limit });
    return entities.map(toApiKeyView);
  }

  /** @throws ApiKeyNotFoundError */
  async get(id: bigint): Promise<ApiKeyView> {
    const entity = await this.keys.findOneBy({ id });
    if (!entity) throw new ApiKeyNotFoundError(id);
    return toApiKeyView(entity);
  }

  /** What the token with this hash stands for, also when it may no longer be used; undefined when nobody knows it. */
  async findByHash(hash: string): Promise<ApiKeyCredential | undefined> {
    // `find` reads key and secret in one statement; `findOne` with a relation takes two.
    const [secret] = await this.secrets.find({ where: { hash }, relations: { key: true } });
    return secret && toApiKeyCredential(secret);
  }
}
