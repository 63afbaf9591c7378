// Usage: WEBHOOK_SECRET=... java Verify.java < body    (Java 17; exit status 0: the signature is valid)
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Verify {
  static final int TAIL_LENGTH = 87; // ,"signature":"sha256=<64 hex>"}

  static boolean verify(byte[] body, String secret) throws GeneralSecurityException {
    int cut = Math.max(0, body.length - TAIL_LENGTH);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    mac.update(body, 0, cut);
    String digest = HexFormat.of().formatHex(mac.doFinal("}".getBytes(UTF_8)));
    byte[] expected = (",\"signature\":\"sha256=" + digest + "\"}").getBytes(UTF_8);
    return MessageDigest.isEqual(Arrays.copyOfRange(body, cut, body.length), expected);
  }

  public static void main(String[] args) throws IOException, GeneralSecurityException {
    String secret = System.getenv("WEBHOOK_SECRET");
    boolean valid = secret != null && !secret.isEmpty() && verify(System.in.readAllBytes(), secret);
    System.exit(valid ? 0 : 1);
  }
}
