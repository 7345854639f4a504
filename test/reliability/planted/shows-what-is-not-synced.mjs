// A read does not wait until what it has found is on disk.
import { FLUSH_IF_PENDING } from '../../../dist/libs/database/postgres/postgres-transaction.js';
import '../system/replace-method.mjs';

Object.assign(FLUSH_IF_PENDING, { text: 'SELECT 1' });
