export const emojiPicker = {
  title: 'Choose an emoji',
  search: 'Search emoji',
  tone: 'Skin tone',
  tones: ['Default', 'Light', 'Medium-light', 'Medium', 'Medium-dark', 'Dark'],
  none: 'No emoji found',
  recent: 'Recently used',
  groups: {
    faces: 'Faces',
    people: 'People',
    nature: 'Animals and nature',
    food: 'Food and drink',
    activities: 'Activities',
    travel: 'Travel and places',
    objects: 'Objects',
    symbols: 'Symbols and flags',
  },
};
