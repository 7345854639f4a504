import * as asyncHooks from 'node:async_hooks';
import * as crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as net from 'node:net';
import * as common from '@nestjs/common';
import * as core from '@nestjs/core';

/*
 * `@nestjs/throttler` is CommonJS and requires Nest, which is ESM only. Node can do that, Jest below Node 24.9 cannot: for tests
 * the package's own files are run here, and given the Nest that the tests have imported.
 */
const FOLDER = new URL('../../node_modules/@nestjs/throttler/dist/', import.meta.url);
const packages = { '@nestjs/common': common, '@nestjs/core': core, async_hooks: asyncHooks, net, 'node:crypto': crypto };
const loaded = new Map();

function load(name) {
  if (name in packages) return packages[name];
  const known = loaded.get(name);
  if (known) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const text = readFileSync(new URL(`${name}.js`, FOLDER), 'utf8');
  new Function('module', 'exports', 'require', text)(module, module.exports, load);
  return module.exports;
}

export const { getOptionsToken, getStorageToken, SkipThrottle, Throttle, ThrottlerGuard } = load('./index');
