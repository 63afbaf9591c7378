/** Providers with one name under many top-level domains, listed one by one because other companies may own the rest. */
const families: Record<string, string> = {
  '10minutemail': 'com net org de co.uk info',
  aol: 'com co.uk de fr it es nl be se at in jp com.au com.br com.mx com.ar',
  freenet: 'de am',
  gmx: 'com net org de at ch li eu info biz us co.uk fr es it pt ie be lu ca',
  guerrillamail: 'com net org de biz info',
  hotmail: `com co.uk fr de it es nl be se no dk fi at ch ca com.au co.nz com.br com.ar com.mx com.tr co.jp co.kr
    co.th co.id co.in co.il co.za com.hk com.tw com.vn com.ph com.pe com.ve com.uy com.bo my sg gr hu cz sk pl pt ru ro rs
    lt lv ee ie lu cl bg hr net org`,
  inbox: 'com ru lv lt eu',
  libero: 'it',
  live: `com co.uk fr de it nl be se no dk fi at ca com.au cn jp co.jp co.kr com.mx cl com.ar com.pt ie in co.in co.za
    com.my com.ph com.sg hk ru com.co com.pe com.ve hu gr co.th net`,
  lycos: 'com de fr it es nl co.uk at',
  mailinator: 'com net org',
  msn: 'com co.uk fr de nl cn com.br',
  outlook: `com fr de es it be jp dk ie at cl cz hu in kr lv my ph pt ro sa sg sk co.id co.il co.nz co.th com.ar com.au
    com.br com.gr com.hr com.pe com.py com.tr com.tw com.vn`,
  posteo: 'de net org eu at ch co.uk us',
  protonmail: 'com ch',
  spambog: 'com de ru',
  terra: 'com com.br es cl com.ar com.mx com.co com.pe',
  tiscali: 'it co.uk fr de nl be cz',
  trashmail: 'com net org de me ws io at',
  tutanota: 'com de',
  virgilio: 'it',
  wanadoo: 'fr es nl co.uk be',
  wegwerfmail: 'de net org',
  yahoo: `com co.uk fr de it es nl be se no dk fi at ch ie gr pt pl ro hu cz sk hr bg ee lv lt rs ca com.au co.nz com.br
    com.ar com.mx com.co com.pe com.ve com.ec cl com.tr co.jp jp co.kr com.cn cn com.hk com.tw com.sg com.my com.ph com.vn
    co.th co.id co.in in com.pk com.bd co.il co.za com.ua ne.jp`,
  yandex: 'com ru by kz ua uz com.tr com.am com.ge az ee lt lv md tj tm kg fr co.il eu net org',
  ymail: 'com ne.jp',
  yopmail: 'com fr net',
  zoho: 'com eu in com.au com.cn jp',
  zohomail: 'com eu in com.au jp',
};

const webmail = `
  gmail.com googlemail.com passport.com windowslive.com icloud.com me.com mac.com
  appleid.com aim.com love.com wow.com rocketmail.com yahoomail.com myyahoo.com proton.me pm.me tuta.com
  tuta.io tutamail.com keemail.me mailfence.com mailbox.org startmail.com runbox.com fastmail.com fastmail.fm
  fastmail.net sent.com pobox.com hey.com duck.com mozmail.com simplelogin.com slmail.me anonaddy.com anonaddy.me
  passmail.net hushmail.com hush.com hushmail.me riseup.net disroot.org cock.li skiff.com ctemplar.com countermail.com
  mail.com email.com usa.com usa.net consultant.com europe.com asia.com myself.com post.com writeme.com iname.com
  techie.com engineer.com cheerful.com dr.com doctor.com accountant.com workmail.com linuxmail.org contractor.net
  lawyer.com programmer.net execs.com musician.org gmx-topmail.de caramail.com excite.com netscape.net netscape.com
  compuserve.com bigfoot.com mailcity.com juno.com netzero.net netzero.com myway.com iwon.com care2.com operamail.com
  opayq.com gawab.com maktoob.com ayna.com rediffmail.com rediff.com indiatimes.com sify.com in.com vsnl.com vsnl.net
  bsnl.in airtelmail.in sancharnet.in dataone.in cyber.net.pk`;

const providersOfTheAmericas = `
  comcast.net verizon.net att.net sbcglobal.net bellsouth.net pacbell.net ameritech.net swbell.net
  prodigy.net snet.net flash.net nvbell.net cox.net charter.net spectrum.net rr.com roadrunner.com twc.com
  earthlink.net mindspring.com peoplepc.com optonline.net optimum.net frontier.com frontiernet.net windstream.net
  centurylink.net centurytel.net embarqmail.com q.com qwest.net suddenlink.net mediacombb.net cableone.net wowway.com
  rcn.com insightbb.com knology.net zoominternet.net tds.net hughes.net wildblue.net ptd.net atlanticbb.net
  shaw.ca rogers.com telus.net sympatico.ca bell.net videotron.ca cogeco.ca sasktel.net mts.net eastlink.ca
  uol.com.br bol.com.br ig.com.br superig.com.br globo.com globomail.com oi.com.br r7.com
  zipmail.com.br pop.com.br fibertel.com.ar arnet.com.ar speedy.com.ar ciudad.com.ar infovia.com.ar prodigy.net.mx
  vtr.net entelchile.net une.net.co etb.net.co cantv.net adinet.com.uy`;

const providersOfEurope = `
  web.de t-online.de t-online.hu arcor.de online.de onlinehome.de email.de mail.de kabelmail.de vodafonemail.de
  vodafone.de unitybox.de unity-mail.de alice.de alice-dsl.net o2online.de o2mail.de hansenet.de versanet.de ewetel.net
  ewe.net netcologne.de osnanet.de kabelbw.de magenta.de firemail.de epost.de directbox.com mnet-online.de mnet-mail.de
  nexgo.de smart-mail.de
  aon.at chello.at a1.net inode.at utanet.at tele2.at drei.at liwest.at kabsi.at kabelplus.at
  bluewin.ch hispeed.ch sunrise.ch swissonline.ch bluemail.ch vtxnet.ch netplus.ch solnet.ch
  orange.fr laposte.net free.fr sfr.fr neuf.fr bbox.fr numericable.fr club-internet.fr aliceadsl.fr voila.fr
  cegetel.net noos.fr dbmail.com
  skynet.be telenet.be proximus.be scarlet.be belgacom.net pandora.be brutele.be voo.be versatel.be pt.lu internet.lu
  vo.lu ziggo.nl kpnmail.nl kpnplanet.nl xs4all.nl planet.nl home.nl hetnet.nl chello.nl upcmail.nl quicknet.nl tele2.nl
  online.nl casema.nl zonnet.nl solcon.nl telfort.nl
  alice.it tin.it inwind.it iol.it blu.it tim.it fastwebnet.it email.it poste.it supereva.it teletu.it kataweb.it
  pec.it legalmail.it arubapec.it postecert.it
  telefonica.net ono.com ya.com euskalnet.net sapo.pt iol.pt clix.pt netcabo.pt telepac.pt portugalmail.pt
  btinternet.com btopenworld.com sky.com virginmedia.com virgin.net talktalk.net ntlworld.com blueyonder.co.uk plus.com
  plus.net o2.co.uk fsmail.net lineone.net supanet.com freeserve.co.uk eircom.net indigo.ie iol.ie oceanfree.net
  mail.dk jubii.dk ofir.dk tele.dk get2net.dk stofanet.dk tdcadsl.dk tdcspace.dk youmail.dk sol.dk webspeed.dk privat.dk
  city.dk fibermail.dk telia.com bredband.net bredband2.com comhem.se spray.se passagen.se swipnet.se tele2.se home.se
  glocalnet.net bahnhof.se online.no broadpark.no c2i.net getmail.no lyse.net start.no frisurf.no altibox.no epost.no
  luukku.com kolumbus.fi elisanet.fi saunalahti.fi inet.fi suomi24.fi dnainternet.net welho.com netti.fi simnet.is
  internet.is visir.is hot.ee mail.ee neti.ee online.ee apollo.lv one.lv mail.lt takas.lt one.lt
  wp.pl o2.pl onet.pl onet.eu op.pl vp.pl interia.pl interia.eu poczta.fm gazeta.pl tlen.pl autograf.pl buziaczek.pl
  go2.pl neostrada.pl seznam.cz email.cz post.cz centrum.cz volny.cz atlas.cz quick.cz spoluzaci.cz azet.sk zoznam.sk
  centrum.sk post.sk pobox.sk stonline.sk freemail.hu citromail.hu indamail.hu vipmail.hu upcmail.hu invitel.hu
  rdslink.ro abv.bg mail.bg dir.bg gbg.bg net.hr inet.hr htnet.hr vip.hr siol.net email.si volja.net eunet.rs sbb.rs
  ptt.rs otenet.gr in.gr forthnet.gr freemail.gr hol.gr mynet.com superonline.com ttmail.com turk.net
  mail.ru list.ru bk.ru internet.ru rambler.ru lenta.ru autorambler.ru myrambler.ru ro.ru ya.ru pochta.ru qip.ru nm.ru
  hotbox.ru land.ru narod.ru xmail.ru ukr.net i.ua meta.ua bigmir.net online.ua email.ua ua.fm tut.by`;

const providersOfAsiaAfricaAndThePacific = `
  qq.com foxmail.com 163.com 126.com yeah.net 188.com sina.com sina.cn sina.com.cn sohu.com 139.com 189.cn wo.cn 21cn.com
  tom.com aliyun.com 263.net eyou.com china.com netvigator.com hinet.net pchome.com.tw seed.net.tw so-net.net.tw
  naver.com daum.net hanmail.net nate.com kakao.com empas.com dreamwiz.com korea.com hanafos.com lycos.co.kr paran.com
  chol.com docomo.ne.jp ezweb.ne.jp au.com softbank.ne.jp softbank.jp vodafone.ne.jp nifty.com biglobe.ne.jp
  so-net.ne.jp ocn.ne.jp plala.or.jp dion.ne.jp asahi-net.or.jp excite.co.jp goo.jp goo.ne.jp infoseek.jp ybb.ne.jp
  singnet.com.sg pacific.net.sg starhub.net.sg streamyx.com tm.net.my jaring.my plasa.com telkom.net cbn.net.id
  indo.net.id centrin.net.id vnn.vn fpt.vn truemail.co.th bigpond.com bigpond.net.au bigpond.com.au optusnet.com.au
  iinet.net.au tpg.com.au westnet.com.au on.net ozemail.com.au dodo.com.au adam.com.au xtra.co.nz slingshot.co.nz
  orcon.net.nz clear.net.nz paradise.net.nz walla.co.il walla.com netvision.net.il bezeqint.net 012.net.il zahav.net.il
  emirates.net.ae eim.ae qatar.net.qa batelco.com.bh link.net tedata.net.eg mailfa.com chmail.ir menara.ma topnet.tn
  planet.tn gnet.tn africaonline.co.ke mweb.co.za telkomsa.net webmail.co.za vodamail.co.za iafrica.com absamail.co.za
  lantic.net`;

const throwAwayMail = `
  guerrillamailblock.com sharklasers.com grr.la spam4.me pokemail.net 20minutemail.com temp-mail.org temp-mail.io
  tempmail.com tempmail.net tempmail.de tempmail.plus tempmailo.com tempail.com tempr.email tempinbox.com tempemail.com
  tempemail.net tempemail.co temporaryemail.net temporary-mail.net tempmailaddress.com tmpmail.org tmpmail.net
  throwawaymail.com trash-mail.com trash-mail.de mytrashmail.com wegwerfemail.de einrot.com cuvox.de dayrep.com
  fleckens.hu gustr.com jourrapide.com rhyta.com superrito.com teleworm.us armyspy.com discard.email discardmail.com
  discardmail.de maildrop.cc mailnesia.com mailcatch.com mailnull.com mailexpire.com mailmoat.com mailsac.com moakt.com
  mohmal.com getnada.com nada.email emailondeck.com fakeinbox.com fakemail.net dispostable.com deadaddress.com
  incognitomail.org jetable.org jetable.com spamgourmet.com spamex.com spamfree24.org spamhole.com spambox.us
  spamspot.com spamavert.com mintemail.com mailforspam.com mailtemp.info inboxbear.com inboxkitten.com burnermail.io
  emailfake.com email-fake.com generator.email crazymailing.com harakirimail.com hidemail.de kasmail.com kurzepost.de
  objectmail.com proxymail.eu rcpt.at recode.me sneakemail.com sogetthis.com soodonims.com sofort-mail.de
  thankyou2010.com trbvm.com wh4f.org willselfdestruct.com zoemail.com anonbox.net anonymbox.com bugmenot.com
  linshiyouxiang.net luxusmail.org 33mail.com mailpoof.com smailpro.com 1secmail.com 1secmail.net 1secmail.org
  dropmail.me 10mail.org emltmp.com mail.tm`;

const pagesOnOtherSites = `
  facebook.com fb.com fb.me instagram.com linkedin.com lnkd.in twitter.com x.com t.co youtube.com youtu.be tiktok.com
  pinterest.com pinterest.co.uk pinterest.de pinterest.fr snapchat.com threads.net reddit.com vk.com ok.ru weibo.com
  whatsapp.com wa.me t.me telegram.me xing.com vimeo.com flickr.com tumblr.com medium.com substack.com wordpress.com
  blogger.com typepad.com livejournal.com over-blog.com e-monsite.com weebly.com weeblysite.com squarespace.com wix.com
  strikingly.com mystrikingly.com jimdo.com jimdofree.com jimdosite.com webnode.com webnode.page site123.me tilda.ws
  godaddysites.com business.site ueniweb.com canva.site hubspotpagebuilder.com 000webhostapp.com notion.so linktr.ee
  beacons.ai about.me bio.link bit.ly tinyurl.com goo.gl g.page g.co ow.ly buff.ly rebrand.ly is.gd eventbrite.com
  meetup.com crunchbase.com onmicrosoft.com sharepoint.com atlassian.net force.com myworkdayjobs.com`;

const placeholders = `
  test.com none.com unknown.com na.com noemail.com nomail.com noreply.com donotreply.com yourdomain.com yourcompany.com
  mydomain.com mycompany.com nodomain.com nowebsite.com website.com company.com domain.com fake.com asdf.com null.com
  notavailable.com notprovided.com placeholder.com invalid.com temp.com dummy.com sample.com xxx.com`;

/**
 * Registrable domains that do not identify the company that uses them: web mail and internet providers, disposable mail,
 * pages on shared hosts, and words typed to get past a required field. A company that owns one of these still matches by its
 * registry number or name.
 */
export const sharedDomains: ReadonlySet<string> = new Set([
  ...Object.entries(families).flatMap(([name, endings]) =>
    words(endings).map((ending) => `${name}.${ending}`),
  ),
  ...[
    webmail,
    providersOfTheAmericas,
    providersOfEurope,
    providersOfAsiaAfricaAndThePacific,
    throwAwayMail,
    pagesOnOtherSites,
    placeholders,
  ].flatMap(words),
]);

function words(list: string): string[] {
  return list.trim().split(/\s+/);
}
