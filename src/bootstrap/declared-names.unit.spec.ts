import { coreSettings } from '../config/index.js';
import { composition, contributions } from './composition.js';

describe('the names that modules declare', () => {
  const { events, publishedForms, projections, errors, tags } = composition();
  const variables = [coreSettings, ...contributions.map(({ settings }) => settings)].flatMap((each = {}) => Object.values(each));

  it.each<[kind: string, names: readonly string[]]>([
    ['event type', events.map(({ type }) => type)],
    ['public event type', [...publishedForms.values()].map(({ as }) => as)],
    ['projection', projections.map(({ name }) => name)],
    ['scope', contributions.flatMap(({ scopes = {} }) => Object.keys(scopes))],
    ['error code', errors.map(({ code }) => code)],
    ['variable', variables.map(({ variable }) => variable)],
    ['tag', tags.map(({ name }) => name)],
  ])('are each of one module, as %s', (_kind, names) => {
    expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
  });
});
