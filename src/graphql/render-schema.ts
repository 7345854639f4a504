import type { INestApplicationContext } from '@nestjs/common';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { printSchema } from 'graphql';

/** The schema of an application that is initialised, in the schema definition language. */
export function renderSchema(app: INestApplicationContext): string {
  return `${printSchema(app.get(GraphQLSchemaHost, { strict: false }).schema)}\n`;
}
