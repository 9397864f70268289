export interface SettingsView {
  readonly pushEnabled: boolean;
  readonly dndEnabled: boolean;
  readonly pushPreview: 'full' | 'sender' | 'none';
}
