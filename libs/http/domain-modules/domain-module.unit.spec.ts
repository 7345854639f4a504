import { ForwardMigration } from '#libs/database';
import type { PublishedForm, Projection } from '#libs/event-sourcing';
import type { PublicResource } from '../public-events/public-event.js';
import { composeModules, type DomainModule } from './domain-module.js';
import { setting, text } from './settings.js';

type Contribution = Omit<DomainModule, 'name'>;

function projection(projectionName: string, ...tables: readonly string[]): Projection {
  const table = (tableName: string) => ({ name: tableName, columns: { id: { type: 'int64' as const } }, primaryKey: ['id'] });
  return { name: projectionName, version: 1, eventTypes: [], tables: tables.map(table), project: () => Promise.resolve() };
}

function publicResource(category: string, collection: string): PublicResource {
  const decider = { initialState: {}, evolve: (state: unknown) => state };
  const schema = { $ref: '#/components/schemas/Lamp' };
  return { category, collection, schema, example: () => ({ id: 1 }), decider, show: () => undefined };
}

class AddLamps extends ForwardMigration {
  protected statements(): string[] {
    return [];
  }
}

describe('composed modules', () => {
  it.each<[kind: string, contribution: Contribution, other?: Contribution]>([
    ['event type', { events: { lit: { schemaVersion: 1, data: {}, published: false } } }],
    ['published category', { publishes: [publicResource('lit', 'lamps')] }],
    ['projection', { projections: [projection('lit')] }],
    ['migration', { migrations: [AddLamps] }],
    ['table', { tables: ['lit'] }, { projections: [projection('lamps', 'lit')] }],
    ['scope', { scopes: { lit: { description: 'REST' } } }],
    ['error code', { errors: { lit: { code: 'lit', status: 409, description: 'It is lit.', remedy: 'Wait.' } } }],
    ['variable', { settings: { lit: setting('LIT', text, { description: 'Light.' }) } }],
  ])('are refused if two declare the same %s', (kind, contribution, other = contribution) => {
    const lamps = { name: 'lamps', ...contribution };
    expect(() => composeModules([lamps])).not.toThrow();
    expect(() => composeModules([lamps, { name: 'rooms', ...other }])).toThrow(
      new RegExp(`^The ${kind} \\w+ is declared by lamps and by rooms: each needs its own name\\.`),
    );
  });

  it.each<[what: string, contribution: Contribution]>([
    ['error code not_found', { errors: { not_found: { code: 'not_found', status: 404, description: 'Gone.', remedy: 'None.' } } }],
    ['table events', { tables: ['events'] }],
    ['table process_leases', { tables: ['process_leases'] }],
  ])('are refused for the %s, which a library has', (what, contribution) => {
    expect(() => composeModules([{ name: 'lamps', ...contribution }])).toThrow(`The ${what} is declared by`);
  });

  it('are refused for all mistakes at once', () => {
    const all = { name: 'lamps', scopes: { 'lamps:all': { description: 'REST', includes: ['lamps', 'rooms'] } } };
    expect(() => composeModules([all, { name: 'lamps', scopes: { lamps: { description: 'REST' } } }])).toThrow(
      'The module lamps is declared by lamps and by lamps: each needs its own name. ' +
        'The scope lamps:all of lamps includes the scope rooms, which no module declares.',
    );
  });

  it.each([
    ['does not say whether it is published', undefined, 'does not say whether it leaves the service'],
    ['is published without its resource', { as: 'lamp.lit', version: 1, description: 'Light.' }, 'but no module publishes lamp'],
  ])('are refused for an event type if it %s', (_, published, mistake) => {
    const events = { 'lamp-lit': { schemaVersion: 1, data: {}, published: published as PublishedForm | false } };
    expect(() => composeModules([{ name: 'lamps', events }])).toThrow(mistake);
  });

  it('have default scopes first', () => {
    const one = { name: 'one', scopes: { one: { description: 'REST' } } };
    const other = { name: 'other', scopes: { other: { description: 'REST', isDefault: true } } };
    expect([...composeModules([one, other]).scopes.keys()]).toEqual(['other', 'one']);
  });
});
