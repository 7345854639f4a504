import eslint from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { describedDirectives } from './scripts/lint-rules/described-directives.mjs';

const WAIT_BY_TIMERS = 'Wait by Timers (libs/observability/clock): tests of what waits need not wait then.';
const noSpecs = { group: ['**/*.spec.js'], message: 'No file depends on a spec.' };
const tests = [
  'test/**/*.ts',
  'src/*/test/**/*.ts',
  'generator/template/test/**/*.ts',
  'libs/testing/**/*.ts',
  '**/*.spec.ts',
  '**/*.contract.ts',
];

export default defineConfig(
  { ignores: ['**/dist/', 'data/', 'coverage/'] },
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { project: { rules: { 'described-directives': describedDirectives } } },
    extends: [eslint.configs.recommended],
    rules: {
      'project/described-directives': 'error',
      curly: ['error', 'multi-line'],
      eqeqeq: 'error',
      'max-depth': ['error', 3],
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      'object-shorthand': 'error',
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Nest reads constructor parameter types at run time; a type-only import would erase them.
      '@typescript-eslint/consistent-type-imports': 'off',
      // A Nest module is a class that only carries its decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: 'only-allowed-literals' }],
      // Lengths are counted in code points, which is what spreading a string gives.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // Nest declares objects of options as classes and takes any object of that shape.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // The caller of a query names the type of its rows, which appears nowhere else in the signature.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      // An async method without await still turns what it throws into a rejection, as its port promises.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'no-restricted-imports': ['error', { patterns: [noSpecs] }],
    },
  },
  {
    // What waits by the port can be simulated in virtual time.
    files: ['libs/**/*.ts', 'src/**/*.ts'],
    ignores: [
      ...tests,
      'libs/observability/clock/timers.ts',
      // They bound the life of a socket, of a request on it, or of the process itself.
      'libs/*/testing/**',
      'libs/database/postgres/server-client.ts',
      'libs/http/outgoing/*.ts',
      'libs/http/server/*.ts',
      'src/bootstrap/shutdown.ts',
      'src/events/streams/{feed,open-streams}.ts',
      'src/rate-limiting/store/redis/redis-link.ts',
      // One timer for each write, on the hot path.
      'libs/database/database.ts',
      // Upkeep at intervals, for which no caller waits.
      'libs/database/database-clock.ts',
      'libs/database/sqlite/file-check.ts',
      'src/auth/last-use/api-key-uses.ts',
      'src/console/recent-seconds.ts',
      'src/operations/retention-schedule.ts',
      'src/rate-limiting/store/counter-persistence.ts',
      'src/rate-limiting/usage/daily-usage-recorder.ts',
    ],
    rules: {
      'no-restricted-globals': ['error', ...['setInterval', 'setTimeout'].map((name) => ({ name, message: WAIT_BY_TIMERS }))],
      'no-restricted-imports': [
        'error',
        {
          patterns: [noSpecs],
          paths: [{ name: 'node:timers/promises', importNames: ['setInterval', 'setTimeout'], message: WAIT_BY_TIMERS }],
        },
      ],
    },
  },
  {
    files: ['**/*.spec.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'TSModuleDeclaration', message: 'No file depends on a spec: declare it in a fixture.' },
      ],
    },
  },
  {
    // Generated: as long as the document.
    files: ['packages/client/src/document.ts'],
    rules: { 'max-lines': 'off' },
  },
  {
    files: tests,
    rules: {
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      // A describe block is one function over all of its tests.
      'max-lines-per-function': 'off',
      // Jest's asymmetric matchers and parsed answers are typed any.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      // expect(object.method) looks at the method and never calls it.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        ['AbortSignal', 'Buffer', 'URL', 'clearTimeout', 'console', 'fetch', 'performance', 'process', 'setTimeout'].map((name) => [
          name,
          'readonly',
        ]),
      ),
    },
    // A script speaks to its user on the console.
    rules: { 'no-console': 'off' },
  },
  {
    // Scripts of pages.
    files: ['libs/**/page/*.mjs', 'src/**/page/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'AbortController',
          'GraphiQL',
          'HTMLDetailsElement',
          'Headers',
          'IntersectionObserver',
          'MutationObserver',
          'React',
          'ReactDOM',
          'ResizeObserver',
          'Response',
          'TextDecoder',
          'FormData',
          'URLSearchParams',
          'addEventListener',
          'customElements',
          'document',
          'getComputedStyle',
          'history',
          'location',
          'matchMedia',
          'navigator',
          'sessionStorage',
        ].map((name) => [name, 'readonly']),
      ),
    },
    rules: { 'no-console': 'error' },
  },
);
