export { registerPetsCommands } from './cli/pets.cli.js';
export { registerPetsExport } from './cli/pets-export.cli.js';
export { registerPetsImport } from './cli/pets-import.cli.js';
export { CreateImportProgress1767225900000 } from './import/import-progress.migration.js';
export { importProgressRetention } from './import/import-progress.js';
export { NoteFinishedImports1767226500000 } from './import/import-progress-finish.migration.js';
export { PetsModule } from './pets.module.js';
