// Puts the files of GraphiQL and of React, which it is made with, where the service serves them from.
import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';

const FILES = [
  'graphiql/graphiql.min.js',
  'graphiql/graphiql.min.css',
  'react/umd/react.production.min.js',
  'react-dom/umd/react-dom.production.min.js',
];

const root = join(import.meta.dirname, '..');
const target = join(root, 'dist', 'graphiql');

mkdirSync(target, { recursive: true });
for (const file of FILES) copyFileSync(join(root, 'node_modules', file), join(target, basename(file)));
