import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cliCommand, detectRuntimeKind } from './runtime-kind.js';

it('is a checkout only if its scripts are there, however package.json names them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'adoption-runtime-kind-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{"scripts":{"cli":"node scripts/run-built.mjs cli"}}');
    expect(detectRuntimeKind(folder)).toBe('image');
    mkdirSync(join(folder, 'scripts'));
    writeFileSync(join(folder, 'scripts', 'run-built.mjs'), '');
    expect(detectRuntimeKind(folder)).toBe('checkout');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('has commands typed through npm with the variables they need, and by name in the container, which has them', () => {
  const typed = (kind: 'checkout' | 'image') => cliCommand('keys list', { DEPLOYMENT: 'staging' }, kind);
  expect(typed('checkout')).toBe('DEPLOYMENT=staging npm run cli -- keys list');
  expect(typed('image')).toBe('adoption keys list');
});
