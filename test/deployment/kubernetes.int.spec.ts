import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { composition, loadServiceConfiguration } from '../../src/bootstrap/composition.js';
import { coreSettings, listSettings } from '../../src/config/index.js';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';
import { readCompose } from './compose.fixture.js';
import { environmentOf, readImage, valuesOf } from './dockerfile.fixture.js';
import {
  base,
  configuration,
  containerOf,
  deployment,
  disruptionBudget,
  filesBeside,
  FOLDERS,
  ingress,
  manifests,
  migration,
  mistakesIn,
  networkPolicy,
  overlay,
  readKustomization,
  secretsOf,
  service,
  texts,
  variablesOf,
} from './kubernetes.fixture.js';

const variables = new Set(listSettings(composition().settings).map(({ variable }) => variable));
const image = readImage();
const { NODE_ENV: _, ...imageEnvironment } = environmentOf(image);
const guide = readFileSync('docs/deploy.md', 'utf8');
const spec = deployment.spec ?? fail('replicas');
const migrationTemplate = migration.spec?.template ?? fail('pods');
const instance = containerOf(spec.template);
const migrating = containerOf(migrationTemplate);
const templates = [
  ['the Deployment', spec.template],
  ['the Job', migrationTemplate],
] as const;

/** What every pod of the service has. */
const POD_SECURITY = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
/** What PostgreSQL allows by default. */
const MOST_CONNECTIONS = 100;
/** Connections of an instance besides its pool for reading (docs/databases.md). */
const FURTHER_CONNECTIONS = 6;

/** The keys of each Secret that the guide's commands create. */
const documentedSecrets = new Map(
  [...guide.matchAll(/^kubectl .*create secret generic ([a-z-]+) (.*)$/gm)].map(([, name = '', options = '']) => [
    name,
    options.split(' ').map((option) => basename(option)),
  ]),
);

function fail(what: string): never {
  throw new Error(`A workload says nothing of its ${what}.`);
}

describe('the manifests for Kubernetes', () => {
  it('are what the schemas of Kubernetes allow', () => {
    expect(mistakesIn(manifests.values())).toEqual([]);
  });

  it.each(FOLDERS)('are all part of %s', (folder) => {
    const { resources, configMapGenerator } = readKustomization(folder);
    const named = [...resources, ...configMapGenerator.flatMap(({ envs }) => envs)];
    expect(named.filter((file) => !file.startsWith('../')).sort()).toEqual(filesBeside(folder).sort());
  });

  it('find the instances by the labels that they have, and never the Job', () => {
    const matching = [
      spec.selector,
      disruptionBudget.spec?.selector,
      networkPolicy.spec?.podSelector,
      { matchLabels: service.spec?.selector },
      ...(spec.template.spec?.topologySpreadConstraints ?? []).map(({ labelSelector }) => labelSelector),
    ];
    expect(matching).toHaveLength(6);
    for (const selector of matching) expect(selector).toEqual({ matchLabels: spec.template.metadata?.labels });
    expect(migrationTemplate.metadata?.labels).not.toEqual(spec.template.metadata?.labels);
    expect(base.labels).toEqual([{ pairs: { 'app.kubernetes.io/name': 'adoption' }, includeSelectors: true }]);
  });
});

describe('a pod', () => {
  it.each(templates)('of %s has no more rights than a container of compose', (_name, template) => {
    const [uid, gid] = (valuesOf(image, 'USER')[0] ?? '').split(':').map(Number);
    expect(template.spec?.securityContext).toMatchObject({ ...POD_SECURITY, runAsUser: uid, runAsGroup: gid, fsGroup: gid });
    const { production } = readCompose().services;
    expect(production).toMatchObject({ security_opt: ['no-new-privileges:true'] });
    expect(containerOf(template).securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: production?.read_only,
      capabilities: { drop: production?.cap_drop },
    });
    expect(template.spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
  });

  it.each(templates)('of %s says what memory it needs, and at most gets', (_name, template) => {
    const { requests, limits } = containerOf(template).resources ?? {};
    expect(requests).toEqual({ cpu: expect.any(String), memory: expect.stringMatching(/^\d+Mi$/) });
    expect(parseInt(limits?.['memory'] ?? '')).toBeGreaterThan(parseInt(requests?.['memory'] ?? ''));
  });

  it('runs the image of the installation, whose version the Job has in its name', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    for (const [, template] of templates) expect(containerOf(template).image).toBe(overlay.images?.[0]?.name);
    expect(overlay.images).toEqual([expect.objectContaining({ newTag: version })]);
    const name = migration.metadata?.name ?? '';
    expect(overlay.replacements).toEqual([
      {
        source: { kind: 'Job', name, fieldPath: 'spec.template.spec.containers.0.image', options: { delimiter: ':', index: 1 } },
        targets: [
          { select: { kind: 'Job', name }, fieldPaths: ['metadata.name'], options: { delimiter: '-', index: name.split('-').length } },
        ],
      },
    ]);
    const named = [...guide.matchAll(/job\/(adoption-migration-[\d.]*\d)/g)].map(([, job]) => job);
    expect(new Set(named)).toEqual(new Set([`${name}-${version}`]));
  });
});

describe('an instance in Kubernetes', () => {
  it('is asked on the port that it listens on, where it says how it is', () => {
    const { startupProbe, readinessProbe, livenessProbe, ports } = instance;
    expect(startupProbe?.httpGet).toEqual({ path: '/health/live', port: 'http' });
    expect(livenessProbe?.httpGet).toEqual({ path: '/health/live', port: 'http' });
    expect(readinessProbe?.httpGet).toEqual({ path: '/health/ready', port: 'http' });
    expect(ports).toEqual([
      { name: 'http', containerPort: Number(imageEnvironment['PORT']) },
      { name: 'management', containerPort: Number(configuration['MANAGEMENT_PORT']) },
    ]);
  });

  it('has half an hour to start, for which an update waits', () => {
    const { periodSeconds = 0, failureThreshold = 0 } = instance.startupProbe ?? {};
    expect(periodSeconds * failureThreshold).toBeGreaterThanOrEqual(1_800);
    expect(spec.progressDeadlineSeconds).toBeGreaterThan(periodSeconds * failureThreshold);
  });

  it('has more time to stop than it asks for, behind the time in which requests still come', () => {
    const announced = instance.lifecycle?.preStop?.sleep?.seconds ?? 0;
    expect(announced).toBeGreaterThanOrEqual(5);
    expect(spec.template.spec?.terminationGracePeriodSeconds).toBeGreaterThan(announced + Number(configuration['SHUTDOWN_GRACE_SECONDS']));
  });

  it('is not alone, also while others are replaced or nodes emptied, and connections are enough for all', () => {
    const surge = 1;
    expect(spec.strategy).toEqual({ rollingUpdate: { maxSurge: surge, maxUnavailable: 0 } });
    const [count = 0] = (overlay.replicas ?? []).map((replicas) => replicas.count);
    for (const replicas of [spec.replicas ?? 0, count]) expect(replicas - Number(disruptionBudget.spec?.maxUnavailable)).toBeGreaterThan(0);
    expect(disruptionBudget.spec?.minAvailable).toBeUndefined();
    const connections = Number(coreSettings.databasePoolSize.default) + FURTHER_CONNECTIONS;
    expect((count + surge) * connections).toBeLessThan(MOST_CONNECTIONS);
  });

  it('is reached through the Service at its public port alone', () => {
    expect(service.spec?.ports?.map(({ targetPort }) => targetPort)).toEqual(['http']);
    const backends = ingress.spec?.rules?.flatMap(({ http }) => http?.paths.map(({ backend }) => backend.service) ?? []);
    expect(backends).toEqual([{ name: service.metadata?.name, port: { name: service.spec?.ports?.[0]?.name } }]);
    const [host] = ingress.spec?.rules?.map((rule) => rule.host) ?? [];
    expect(ingress.spec?.tls?.flatMap(({ hosts = [] }) => hosts)).toEqual([host]);
    expect(new URL(configuration['BASE_URL_PRODUCTION'] ?? '').host).toBe(host);
  });

  it('shows its management port to the namespace of Prometheus alone', () => {
    const open = (networkPolicy.spec?.ingress ?? []).map(({ ports = [], from = [] }) => [
      ports.map(({ port }) => port),
      from.flatMap(({ namespaceSelector }) => Object.values(namespaceSelector?.matchLabels ?? {})),
    ]);
    expect(open).toEqual([
      [['http'], ['ingress']],
      [['management'], ['monitoring']],
    ]);
    expect(spec.template.metadata?.annotations).toMatchObject({ 'prometheus.io/port': configuration['MANAGEMENT_PORT'] });
  });
});

describe('the configuration in Kubernetes', () => {
  let folder: string;
  beforeAll(() => {
    folder = makeTemporaryFolder('secrets');
    writeFileSync(join(folder, 'database-url'), 'postgres://adoption:word@database:5432/adoption');
    writeFileSync(join(folder, 'migration-database-url'), 'postgres://adoption_owner:word@database:5432/adoption');
    writeFileSync(join(folder, 'redis-url'), 'rediss://redis:6379');
  });

  const located = (environment: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(environment).map(([name, path]) => [name, join(folder, basename(path))]));

  it('has variables of the service only', () => {
    const named = [configuration, variablesOf(instance), variablesOf(migrating)].flatMap((environment) => Object.keys(environment));
    expect(named.filter((name) => !variables.has(name.replace(/_FILE$/, '')))).toEqual([]);
  });

  it('is without mistakes, and what several instances behind a proxy need', () => {
    expect(instance.envFrom).toEqual([{ configMapRef: { name: base.configMapGenerator[0]?.name } }]);
    expect(loadServiceConfiguration({ ...imageEnvironment, ...configuration, ...located(variablesOf(instance)) })).toMatchObject({
      deployment: 'production',
      host: '0.0.0.0',
      management: { host: '0.0.0.0' },
      trustProxy: 1,
      database: { kind: 'postgres' },
      modules: { 'rate-limiting': { redisKeyPrefix: 'adoption-production:' } },
    });
    expect(loadServiceConfiguration({ ...imageEnvironment, ...located(variablesOf(migrating)) }).database).toHaveProperty('migrationUrl');
  });

  it('holds no secret, and takes each from a file of a Secret that the guide creates', () => {
    expect([...manifests.values()].filter(({ kind }) => kind === 'Secret')).toEqual([]);
    for (const text of texts.values()) expect(text).not.toMatch(/:\/\/[^/\s]*@|PASSWORD/);
    for (const [, template] of templates) {
      const container = containerOf(template);
      const keys = secretsOf(template).flatMap((name) => documentedSecrets.get(name) ?? []);
      for (const [name, path] of Object.entries(variablesOf(container))) {
        expect(name).toMatch(/_FILE$/);
        expect(container.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual([dirname(path)]);
        expect(keys).toContain(basename(path));
      }
    }
  });

  it('keeps the role that owns the tables from the instances', () => {
    expect(secretsOf(spec.template)).toEqual(['adoption']);
    expect(documentedSecrets.get('adoption')).not.toContain('migration-database-url');
    expect(variablesOf(instance)).not.toHaveProperty('MIGRATION_DATABASE_URL_FILE');
  });

  it('lets the Job migrate before anything else is there', () => {
    expect(migrating).toMatchObject({ command: ['adoption', 'db', 'migrate'] });
    expect(migrating.envFrom).toBeUndefined();
    expect(migrationTemplate.spec?.serviceAccountName).toBeUndefined();
    expect(migration.metadata?.labels).toEqual({ 'app.kubernetes.io/component': 'migration' });
    expect(guide).toContain('-l app.kubernetes.io/component=migration\n');
  });
});
