export type EmojiGroup =
  | 'faces'
  | 'people'
  | 'nature'
  | 'food'
  | 'activities'
  | 'travel'
  | 'objects'
  | 'symbols';

/**
 * The emoji of the picker. A line has an emoji, fully qualified and without a skin tone, its names in English and in Chinese, and after a
 * comma each other words by which it is found.
 */
export const EMOJI_TABLE: Record<EmojiGroup, string> = {
  faces: `
😀 grinning face,smile,happy|咧嘴笑,开心,笑脸
😃 big smile,happy,joy|大笑,开心
😄 smiling eyes,happy,laugh|眯眼笑,开心
😁 beaming,grin,teeth|露齿笑,嘻嘻
😆 squinting laugh,haha|哈哈大笑,斜眼笑
😅 nervous laugh,sweat,phew|苦笑,冷汗,尴尬
🤣 rolling on the floor,rofl,lol|笑翻,打滚
😂 tears of joy,lol,laugh,cry|笑哭,笑死
🙂 slight smile,ok|微笑
🙃 upside down,irony,silly|倒脸,无语
😉 wink,joke|眨眼,调皮
😊 blush,happy,shy|害羞,脸红,开心
😇 halo,angel,innocent|天使,无辜
🥰 in love,hearts,adore|喜爱,爱心脸
😍 heart eyes,love,wow|色,喜欢,花痴
🤩 star struck,wow,amazing|星星眼,崇拜
😘 blowing a kiss,love|飞吻,亲亲
😗 kiss|亲吻
😚 kiss with closed eyes,shy|闭眼亲
😋 yum,delicious,tasty|好吃,美味,馋
😛 tongue out,playful|吐舌,调皮
😜 wink with tongue,crazy,joke|眨眼吐舌,搞怪
🤪 zany,crazy,silly|疯狂,搞怪
😝 squint with tongue,taste|眯眼吐舌
🤑 money face,rich|发财,钱
🤗 hug,open hands|抱抱,拥抱
🤭 hand over mouth,oops,giggle|偷笑,捂嘴
🤫 shush,quiet,secret|嘘,安静,秘密
🤔 thinking,hmm,wonder|思考,想一想
🤐 zipped mouth,secret|闭嘴,保密
🤨 raised eyebrow,doubt,sceptic|挑眉,怀疑
😐 neutral,meh|面无表情,平淡
😑 expressionless,sigh|无语,无表情
😶 no mouth,silent,speechless|沉默,无言
😏 smirk,smug|得意,坏笑
😒 unamused,annoyed|不高兴,撇嘴
🙄 rolling eyes,whatever|翻白眼,白眼
😬 grimace,awkward|龇牙,尴尬
😌 relieved,calm|放松,安心
😔 pensive,sad,sorry|失落,难过
😪 sleepy,tired|困,想睡
🤤 drooling,hungry|流口水,馋
😴 sleeping,zzz,night|睡觉,睡着
😷 mask,ill,sick|口罩,生病
🤒 thermometer,fever,ill|发烧,生病
🤕 bandage,hurt|受伤,绷带
🤢 nauseated,sick,gross|恶心,想吐
🤮 vomiting,sick|呕吐,吐
🤧 sneezing,cold|打喷嚏,感冒
🥵 hot,heat,sweat|热,好热
🥶 cold,freezing|冷,好冷
🥴 woozy,drunk|晕,醉
😵 dizzy,knocked out|头晕,晕倒
🤯 mind blown,shocked|脑洞大开,震惊
🤠 cowboy,hat|牛仔
🥳 party face,celebrate,birthday|庆祝,派对,生日
😎 sunglasses,cool|酷,墨镜
🤓 nerd,glasses|书呆子,眼镜
🧐 monocle,inspect|审视,研究
😕 confused,unsure|困惑,疑惑
😟 worried|担心,忧虑
🙁 slight frown,sad|不开心
☹️ frown,sad|皱眉,难过
😮 open mouth,wow,surprised|惊讶,哇
😯 hushed,surprised|吃惊
😲 astonished,shocked|震惊,惊呆
😳 flushed,embarrassed|脸红,尴尬
🥺 pleading,please,puppy eyes|可怜,恳求,拜托
😨 fearful,scared|害怕,恐惧
😰 anxious,sweat|焦虑,冷汗
😥 sad but relieved|难过,失望
😢 crying,sad,tear|哭,流泪,伤心
😭 loud crying,sob,sad|大哭,痛哭
😱 screaming,scared,horror|尖叫,惊恐
😖 confounded|纠结,难受
😣 persevering,struggle|坚持,痛苦
😞 disappointed,sad|失望,沮丧
😓 downcast,sweat|汗,郁闷
😩 weary,tired|疲惫,累
😫 tired,exhausted|累坏,疲倦
🥱 yawning,bored|打哈欠,无聊
😤 huffing,triumph,angry|哼,生气
😡 very angry,rage|愤怒,生气
😠 angry,mad|生气,不满
🤬 swearing,curse|骂人,爆粗
😈 smiling devil,evil|恶魔,坏笑
💀 skull,dead|骷髅,死
💩 poop|便便,大便
🤡 clown|小丑
👻 ghost,boo|鬼,幽灵
👽 alien|外星人
🤖 robot,bot|机器人
😺 smiling cat|笑脸猫,猫
😹 cat with tears of joy|笑哭猫,猫
😻 cat with heart eyes|喜欢猫,猫
🙀 weary cat,shocked|惊恐猫,猫
🙈 see no evil monkey,shy|捂眼猴,害羞
🙉 hear no evil monkey|捂耳猴
🙊 speak no evil monkey|捂嘴猴`,
  people: `
👋 waving hand,hello,hi,bye|挥手,你好,再见
✋ raised hand,stop,high five|举手,停
🖐️ open hand,five|张开手,五
🖖 vulcan salute|瓦肯举手礼
👌 ok hand,perfect|好的,没问题
🤌 pinched fingers,italian|捏手指
🤏 pinching hand,small|一点点,捏
✌️ victory,peace,two|胜利,耶,二
🤞 crossed fingers,luck,hope|祈祷好运,好运
🤟 love you gesture|爱你手势
🤘 rock,horns,metal|摇滚
🤙 call me,shaka|打电话,六
👈 point left|左边,向左
👉 point right|右边,向右
👆 point up|上面,向上
👇 point down|下面,向下
☝️ index up,one,attention|食指,一,注意
👍 thumbs up,yes,like,good,ok|赞,好,同意,支持
👎 thumbs down,no,dislike,bad|踩,不好,反对
✊ raised fist|举拳,加油
👊 fist bump,punch|拳头,碰拳
👏 clapping,applause,bravo|鼓掌,拍手
🙌 raising hands,hooray,praise|举双手,万岁,庆祝
👐 open hands|张开双手
🤲 palms up,prayer|捧手,祈求
🤝 handshake,deal,agree|握手,合作,成交
🙏 folded hands,thanks,please,pray|感谢,拜托,祈祷
✍️ writing hand,note|写字,记下
💅 nail polish,beauty|美甲,指甲油
🤳 selfie,phone|自拍
💪 strong,muscle,arm|强壮,肌肉,加油
🧠 brain,smart|大脑,聪明
👀 eyes,look,see|眼睛,看
👁️ eye|眼
👅 tongue|舌头
👄 mouth,lips|嘴,嘴唇
👶 baby|婴儿,宝宝
🧒 child|小孩,儿童
👦 boy|男孩
👧 girl|女孩
🧑 person|人
👨 man|男人
👩 woman|女人
👴 old man,grandfather|老爷爷,爷爷
👵 old woman,grandmother|老奶奶,奶奶
🙅 no gesture,refuse|不行,拒绝
🙆 ok gesture,yes|可以,同意
🙋 raising a hand,question,me|举手,提问
🙇 bowing,sorry,thanks|鞠躬,抱歉
🤦 facepalm,oh no|捂脸,无奈
🤷 shrug,dunno,whatever|耸肩,不知道
👮 police officer|警察
👷 builder,worker|建筑工人
🎅 santa,christmas|圣诞老人,圣诞
🦸 superhero|超级英雄
🧙 mage,wizard|法师,巫师
🧚 fairy|仙女
🚶 walking|走路,步行
🏃 running,hurry|跑步,快跑
💃 dancing,party|跳舞,舞蹈
🕺 man dancing,party|男士跳舞,跳舞
🛀 bath|洗澡,泡澡
🛌 in bed,sleep|睡觉,床
👫 couple holding hands|情侣,牵手
🗣️ speaking head,talk|说话
👤 silhouette,user|剪影,用户
👥 two silhouettes,group|多人,群组
🫂 hugging people,comfort|拥抱,安慰`,
  nature: `
🐶 dog,puppy|狗,小狗
🐱 cat,kitten|猫,小猫
🐭 mouse|老鼠
🐹 hamster|仓鼠
🐰 rabbit,bunny|兔子
🦊 fox|狐狸
🐻 bear|熊
🐼 panda|熊猫
🐨 koala|考拉
🐯 tiger|老虎
🦁 lion|狮子
🐮 cow|牛,奶牛
🐷 pig|猪
🐸 frog|青蛙
🐵 monkey|猴子
🐔 chicken|鸡
🐧 penguin|企鹅
🐦 bird|鸟
🐤 chick|小鸡
🦆 duck|鸭子
🦉 owl|猫头鹰
🐺 wolf|狼
🐴 horse|马
🦄 unicorn|独角兽
🐝 bee|蜜蜂
🦋 butterfly|蝴蝶
🐌 snail,slow|蜗牛,慢
🐞 ladybird,beetle|瓢虫
🕷️ spider|蜘蛛
🐢 turtle,slow|乌龟,慢
🐍 snake|蛇
🐙 octopus|章鱼
🐟 fish|鱼
🐬 dolphin|海豚
🐳 whale|鲸鱼
🦈 shark|鲨鱼
🐘 elephant|大象
🐉 dragon|龙
🌵 cactus|仙人掌
🎄 christmas tree|圣诞树,圣诞
🌲 evergreen tree|松树,树
🌳 tree|大树,树
🌴 palm tree,holiday|棕榈树,度假
🌱 seedling,plant|幼苗,发芽
🍀 four leaf clover,luck|四叶草,幸运
🍁 maple leaf,autumn|枫叶,秋天
🍂 fallen leaves,autumn|落叶,秋天
💐 bouquet,flowers|花束,鲜花
🌷 tulip,flower|郁金香,花
🌹 rose,flower,love|玫瑰,花
🥀 wilted flower,sad|枯萎的花,凋谢
🌸 cherry blossom,flower,spring|樱花,花,春天
🌻 sunflower,flower|向日葵,花
🌞 sun with face,sunny|太阳脸,晴天
🌙 crescent moon,night|月亮,晚安
⭐ star|星星
🌟 glowing star|闪亮星星
✨ sparkles,magic,new|闪光,闪亮
⚡ lightning,fast,power|闪电,快
🔥 fire,hot,lit|火,热,厉害
☀️ sun,sunny,weather|太阳,晴
⛅ sun behind cloud,weather|多云,天气
☁️ cloud,weather|云,阴天
🌧️ rain,weather|下雨,雨
❄️ snowflake,cold,winter|雪花,冬天
⛄ snowman,winter|雪人,冬天
🌈 rainbow|彩虹
☔ umbrella in rain,wet|雨伞,下雨
🌊 wave,sea,water|海浪,大海
🌍 earth,world|地球,世界`,
  food: `
🍏 green apple,fruit|青苹果,水果
🍎 red apple,fruit|苹果,水果
🍊 orange,tangerine,fruit|橘子,橙子,水果
🍋 lemon,fruit|柠檬,水果
🍌 banana,fruit|香蕉,水果
🍉 watermelon,fruit|西瓜,水果,吃瓜
🍇 grapes,fruit|葡萄,水果
🍓 strawberry,fruit|草莓,水果
🍒 cherries,fruit|樱桃,水果
🍑 peach,fruit|桃子,水果
🥭 mango,fruit|芒果,水果
🍍 pineapple,fruit|菠萝,水果
🥝 kiwi,fruit|猕猴桃,水果
🍅 tomato|番茄,西红柿
🥑 avocado|牛油果
🌽 corn|玉米
🌶️ hot pepper,spicy|辣椒,辣
🥦 broccoli|西兰花
🥕 carrot|胡萝卜
🍄 mushroom|蘑菇
🍞 bread|面包
🥐 croissant|牛角包
🧀 cheese|奶酪
🥚 egg|鸡蛋
🥓 bacon|培根
🍗 chicken leg,meat|鸡腿
🍔 burger,fast food|汉堡
🍟 fries,fast food|薯条
🍕 pizza|披萨
🌭 hot dog|热狗
🥪 sandwich|三明治
🌮 taco|塔可
🥗 salad,healthy|沙拉,健康
🍝 spaghetti,pasta|意大利面,面
🍜 noodles,ramen|面条,拉面
🍲 stew,hot pot|火锅,炖菜
🍣 sushi|寿司
🥟 dumpling|饺子
🍚 rice|米饭
🍙 rice ball|饭团
🥮 moon cake|月饼,中秋
🍦 ice cream|冰淇淋
🍩 doughnut|甜甜圈
🍪 cookie,biscuit|饼干,曲奇
🎂 birthday cake|生日蛋糕,生日
🍰 cake|蛋糕
🍫 chocolate|巧克力
🍬 candy,sweet|糖果,糖
🍭 lollipop|棒棒糖
🍿 popcorn,movie|爆米花,电影
☕ coffee,hot drink,tea|咖啡,热饮
🍵 tea|茶,绿茶
🧋 bubble tea,milk tea|奶茶,珍珠奶茶
🥛 milk|牛奶
🍺 beer|啤酒
🍻 cheers,beers|干杯,啤酒
🥂 clinking glasses,cheers,toast|碰杯,干杯
🍷 wine|红酒
🍸 cocktail|鸡尾酒
🍾 champagne,celebrate|香槟,庆祝
🥢 chopsticks|筷子
🍴 fork and knife,eat,meal|刀叉,吃饭`,
  activities: `
⚽ football,soccer|足球
🏀 basketball|篮球
🏈 american football|橄榄球
⚾ baseball|棒球
🎾 tennis|网球
🏐 volleyball|排球
🏓 table tennis,ping pong|乒乓球
🏸 badminton|羽毛球
🥊 boxing|拳击
⛳ golf|高尔夫
🎣 fishing|钓鱼
🎿 skiing|滑雪
🏊 swimming|游泳
🚴 cycling,bike|骑车,自行车
🧘 meditation,yoga|冥想,瑜伽
🏆 trophy,winner|奖杯,冠军
🥇 gold medal,first|金牌,第一
🥈 silver medal,second|银牌,第二
🥉 bronze medal,third|铜牌,第三
🎯 bullseye,target|正中目标,目标
🎮 video game|游戏,电玩
🎲 dice,game|骰子,游戏
🧩 puzzle,jigsaw|拼图
♟️ chess pawn,game|国际象棋,棋
🎨 art,painting|画画,艺术
🎬 film,movie|电影,场记板
🎤 microphone,karaoke,sing|麦克风,唱歌
🎧 headphones,music|耳机,音乐
🎵 music note|音符,音乐
🎸 guitar,music|吉他,音乐
🎹 piano,music|钢琴,音乐
🥁 drum,music|鼓,音乐
🎉 party popper,congratulations,celebrate|庆祝,恭喜,礼花
🎊 confetti,celebrate|彩带,庆祝
🎈 balloon,party|气球,派对
🎁 gift,present|礼物
🎀 ribbon,bow|蝴蝶结
🎃 pumpkin,halloween|南瓜,万圣节
🎆 fireworks,new year|烟花,新年
🧧 red envelope,lucky money|红包,新年
🏮 red lantern|灯笼
🎟️ ticket|票,门票`,
  travel: `
🚗 car,drive|汽车,开车
🚕 taxi|出租车
🚌 bus|公交车
🚑 ambulance|救护车
🚒 fire engine|消防车
🚚 truck,delivery|货车,快递
🚲 bicycle,bike|自行车
🛵 scooter|电动车,摩托
🚄 fast train|高铁,火车
🚇 metro,underground|地铁
✈️ plane,flight,travel|飞机,旅行
🚀 rocket,launch,fast|火箭,发射
🚁 helicopter|直升机
⛵ sailing boat|帆船
🚢 ship|轮船
⚓ anchor|锚
🚦 traffic light|红绿灯
🗺️ map,travel|地图,旅行
🏖️ beach,holiday|海滩,度假
🏔️ snowy mountain|雪山,山
⛰️ mountain,hiking|山,爬山
🏕️ camping,tent|露营,帐篷
🏠 house,home|房子,家
🏢 office,work|办公楼,公司
🏥 hospital|医院
🏫 school|学校
🏨 hotel|酒店
⛪ church|教堂
🏰 castle|城堡
🗼 tower|铁塔
🌃 night city|夜景,城市
🌅 sunrise,morning|日出,早晨
🎡 ferris wheel|摩天轮
⛽ fuel,petrol|加油站,汽油
⏰ alarm clock,time,morning|闹钟,时间
⌛ hourglass,time,wait|沙漏,等待
⏳ hourglass running,wait|沙漏,等等
🌐 globe,internet|网络,全球`,
  objects: `
💬 speech bubble,chat,message|对话,聊天,消息
💭 thought bubble|想法,思考
💤 zzz,sleep|睡觉,打呼
👓 glasses|眼镜
👔 tie,shirt|领带,衬衫
👗 dress|裙子,连衣裙
👟 sneaker,shoe|运动鞋,鞋
👠 high heel,shoe|高跟鞋,鞋
👑 crown,king,queen|皇冠
🎓 graduation,student|毕业,学位帽
👜 handbag|手提包,包
🎒 backpack,school|书包,背包
💍 ring,wedding|戒指,结婚
💎 gem,diamond|钻石,宝石
📱 mobile phone|手机
💻 laptop,computer|电脑,笔记本
⌨️ keyboard|键盘
🖨️ printer|打印机
📷 camera,photo|相机,照片
📹 video camera|摄像机,视频
📺 television,tv|电视
📞 telephone,call|电话,打电话
🔋 battery|电池
🔌 plug,power|插头,充电
💡 light bulb,idea|灯泡,主意
🔦 torch,flashlight|手电筒
📖 open book,read|书,看书
📚 books,study|书本,学习
📰 newspaper,news|报纸,新闻
💰 money bag|钱袋,钱
💵 banknote,dollar,money|美元,钞票,钱
💳 credit card,pay|信用卡,付款
📧 email,mail|邮件,电子邮件
📦 parcel,package,box|包裹,快递
📝 memo,note|备忘,笔记
📅 calendar,date|日历,日期
📈 chart up,growth|上涨,增长
📉 chart down,loss|下跌,下降
📌 pin,important|图钉,置顶
📎 paperclip,attach|回形针,附件
✂️ scissors,cut|剪刀
🔒 lock,private|锁,保密
🔑 key,password|钥匙,密码
🔨 hammer,build|锤子
🔧 wrench,fix|扳手,修理
⚙️ gear,settings|齿轮,设置
🧪 test tube,science|试管,实验
💉 syringe,vaccine|注射器,打针
💊 pill,medicine|药,药片
🚪 door|门
🛏️ bed|床
🚿 shower|淋浴,洗澡
🧹 broom,clean|扫帚,打扫
🧻 toilet paper|卫生纸
🛒 shopping cart|购物车,购物
🔔 bell,notification|铃铛,通知
🔕 no bell,mute|静音,免打扰
🔍 search,magnifier|放大镜,搜索
🕯️ candle|蜡烛
💣 bomb|炸弹
🗑️ bin,trash|垃圾桶,删除`,
  symbols: `
❤️ red heart,love|红心,爱,爱心
🧡 orange heart,love|橙心,爱心
💛 yellow heart,love|黄心,爱心
💚 green heart,love|绿心,爱心
💙 blue heart,love|蓝心,爱心
💜 purple heart,love|紫心,爱心
🖤 black heart|黑心,爱心
🤍 white heart|白心,爱心
💔 broken heart,sad|心碎,分手
❣️ heart exclamation|心叹号
💕 two hearts,love|两颗心,爱心
💖 sparkling heart,love|闪亮的心,爱心
💘 heart with arrow,cupid|一箭穿心,爱心
💯 hundred points,perfect|满分,一百
💢 anger symbol|怒,生气
💥 collision,boom|爆炸,砰
💦 sweat drops,water|汗水,水滴
💨 dash,fast,wind|一溜烟,快
✅ check mark,done,yes|完成,对,勾
☑️ checked box,done|勾选,完成
✔️ tick,yes|对勾,对
❌ cross,no,wrong|错,叉,不
❗ exclamation,important|感叹号,注意
❓ question|问号,疑问
‼️ double exclamation|双感叹号
⁉️ exclamation question|感叹问号
⚠️ warning,caution|警告,注意
⛔ no entry,forbidden|禁止通行,禁止
🚫 prohibited,forbidden|禁止,不准
🔴 red circle|红色圆
🟢 green circle|绿色圆
🔵 blue circle|蓝色圆
⬆️ up arrow|上箭头,上
⬇️ down arrow|下箭头,下
⬅️ left arrow|左箭头,左
➡️ right arrow|右箭头,右
🔄 refresh,again|刷新,循环
➕ plus,add|加号,加
➖ minus|减号,减
♻️ recycling|回收,环保
🆗 ok button|好的,可以
🆕 new button|新,新的
🆘 sos,help|求救,帮助
🔝 top arrow|置顶,顶
🏁 chequered flag,finish|终点,格子旗
🚩 red flag,warning|红旗,警示
🏳️‍🌈 rainbow flag,pride|彩虹旗
🇨🇳 flag of China|中国,国旗
🇭🇰 flag of Hong Kong|香港,区旗
🇯🇵 flag of Japan|日本,国旗
🇰🇷 flag of South Korea|韩国,国旗
🇸🇬 flag of Singapore|新加坡,国旗
🇺🇸 flag of the United States|美国,国旗
🇬🇧 flag of the United Kingdom|英国,国旗
🇨🇦 flag of Canada|加拿大,国旗
🇦🇺 flag of Australia|澳大利亚,国旗
🇩🇪 flag of Germany|德国,国旗
🇫🇷 flag of France|法国,国旗
🇪🇸 flag of Spain|西班牙,国旗
🇮🇹 flag of Italy|意大利,国旗
🇧🇷 flag of Brazil|巴西,国旗
🇮🇳 flag of India|印度,国旗
🇪🇺 flag of the European Union|欧盟,旗帜`,
};
