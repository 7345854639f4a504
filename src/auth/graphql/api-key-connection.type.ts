import { ObjectType } from '@nestjs/graphql';
import { connectionOf } from '#libs/graphql-kit';
import { ApiKeyType } from './api-key.type.js';

@ObjectType({ description: 'A page of the API keys, ascending by id.' })
export class ApiKeyConnection extends connectionOf(ApiKeyType, 'ApiKey') {}
