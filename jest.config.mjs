/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/libs', '<rootDir>/test'],
  testMatch: ['**/*.(unit|int|e2e|arch).spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/test/architecture/fixtures/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^@nestjs/throttler$': '<rootDir>/test/commonjs/nest-throttler.mjs',
    '^#libs/(.*)$': '<rootDir>/libs/$1/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig: '<rootDir>/tsconfig.json' }] },
  testTimeout: 30_000,
};
