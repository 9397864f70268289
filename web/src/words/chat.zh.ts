export const chat: typeof import('./chat.en.ts').chat = {};
