import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { variables } from '../../src/config/index.js';
import { copiesOf, environmentOf, readImage, readStages, valuesOf, wordsOf } from './dockerfile.fixture.js';

const stages = readStages();
const image = readImage();

describe('the Dockerfile', () => {
  it('takes Node versions that package.json allows, and no compiler into the image', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
    const majors = [...engines.node.matchAll(/\^(\d+)/g)].map(([, major]) => major);
    const bases = stages.map((stage) => stage.image).filter((name) => !stages.some((stage) => stage.name === name));
    for (const base of bases) expect(majors).toContain(/^node:(\d+)-bookworm(?:-slim)?$/.exec(base)?.[1]);
    expect(image.image).toMatch(/-slim$/);
  });

  it('builds with all packages and puts those of production alone into the image', () => {
    const stageOf = (name: string) => valuesOf(stages.find((stage) => stage.name === name) ?? image, 'RUN');
    expect(stageOf('packages')).toEqual(['npm ci']);
    expect(stageOf('build')).toEqual(['npm run build']);
    expect(stageOf('production')).toEqual([
      'npm prune --omit=dev --omit=optional',
      'node scripts/prune-production.mjs /app && node scripts/write-bill-of-materials.mjs /app/sbom.cdx.json',
    ]);
    expect(copiesOf(image)).toEqual([
      { from: 'production', paths: ['/app/package.json', '/app/sbom.cdx.json'] },
      { from: 'production', paths: ['/app/node_modules'] },
      { from: 'production', paths: ['/app/dist'] },
    ]);
  });

  it('runs as a number that is not root and stops on SIGTERM, which reaches Node itself', () => {
    expect(valuesOf(image, 'USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
    expect(valuesOf(image, 'STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(valuesOf(image, 'ENTRYPOINT')).toEqual([]);
    expect(wordsOf(image, 'CMD')[0]).toBe('node');
  });

  it('keeps data where a volume belongs, and makes none without a name', () => {
    expect(valuesOf(image, 'VOLUME')).toEqual([]);
    expect(environmentOf(image)).not.toHaveProperty('DATABASE_URL');
    const path = variables.DATABASE_URL.default.replace(/^sqlite:/, '');
    expect(resolve(valuesOf(image, 'WORKDIR').at(-1) ?? '', path)).toBe('/data/adoption.sqlite');
  });

  it('sets variables of the configuration only, and listens where it says', () => {
    const { NODE_ENV, ...environment } = environmentOf(image);
    expect(NODE_ENV).toBe('production');
    expect(Object.keys(environment).filter((name) => !(name in variables))).toEqual([]);
    expect(valuesOf(image, 'EXPOSE')).toEqual([environment['PORT']]);
    expect(environment).toMatchObject({ DEPLOYMENT: 'production', HOST: '0.0.0.0' });
  });
});

describe('.dockerignore', () => {
  it('lets in what the Dockerfile copies and nothing else, and no test', () => {
    const copied = stages.flatMap(copiesOf).flatMap(({ from, paths }) => (from === undefined ? paths : []));
    const lines = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const names = copied.map((path) => path.replace(/^\.\//, ''));
    expect(names.filter((name) => !existsSync(name))).toEqual([]);
    expect(lines).toEqual(['*', ...names.map((name) => `!${name}`), '**/*.spec.ts']);
    expect(names.filter((name) => statSync(name).isDirectory()).sort()).toEqual(['libs', 'scripts', 'src']);
  });
});
