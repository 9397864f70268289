import type { emojiPicker as en } from './emoji-picker.en.ts';

export const emojiPicker: typeof en = {
  title: '选择表情',
  search: '搜索表情',
  tone: '肤色',
  tones: ['默认', '浅', '中浅', '中等', '中深', '深'],
  none: '没有找到表情',
  recent: '最近使用',
  groups: {
    faces: '表情',
    people: '人物',
    nature: '动物和自然',
    food: '食物和饮料',
    activities: '活动',
    travel: '旅行和地点',
    objects: '物品',
    symbols: '符号和旗帜',
  },
};
