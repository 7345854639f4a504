import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Document {
  readonly webhooks: Record<string, { readonly post: { security?: unknown } }>;
  readonly components: { readonly schemas: Record<string, { readonly properties: Record<string, { maxLength?: number }> }> };
}

describe('the rules for the OpenAPI document', () => {
  let folder: string;
  // The exceptions hold for documents within the project.
  beforeEach(() => (folder = mkdtempSync(join('node_modules', 'api-rules-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const findingsIn = (plant: (document: Document) => void) => {
    const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document;
    plant(document);
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/check-api.mjs', file], { encoding: 'utf8' });
    return { status, findings: `${stdout}${stderr}`.split('\n').filter((line) => / (?:error|warning|information|hint) /.test(line)) };
  };

  it.each<[judge: string, rule: string, plant: (document: Document) => void]>([
    ['Redocly', 'security-defined', ({ webhooks }) => delete webhooks['pet.added']?.post.security],
    [
      'Spectral with the rules of OWASP',
      'owasp:api4:2023-string-limit',
      ({ components }) => delete components.schemas['WebhookWithSecret']?.properties['secret']?.maxLength,
    ],
  ])('let %s alone find what breaks %s', (_, rule, plant) => {
    const { status, findings } = findingsIn(plant);
    expect({ status, findings }).toEqual({ status: 1, findings: [expect.stringContaining(rule)] });
  });
});
