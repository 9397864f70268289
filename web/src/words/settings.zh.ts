export const settings: typeof import('./settings.en.ts').settings = {};
