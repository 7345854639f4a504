import fc from 'fast-check';

// Set by test/cleanup/begin-run.mjs, which says where it comes from.
fc.configureGlobal({ seed: Number(process.env['TEST_SEED']) });
