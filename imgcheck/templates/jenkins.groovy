// Builds the image under its contract on an agent with Docker. Only exit 75 (out of reach) is tried again.
pipeline {
    agent { label 'docker' }
    environment {
        IMGCHECK_CACHE_DIR = "${env.WORKSPACE}/.imgcheck-facts"
    }
    stages {
        stage('imgcheck') {
            steps {
                sh 'python3 -m venv .imgcheck-venv && .imgcheck-venv/bin/pip install imgcheck'
                script {
                    int status = 75
                    for (int attempt = 0; attempt < 3 && status == 75; attempt++) {
                        status = sh(returnStatus: true, script: '''
                            .imgcheck-venv/bin/imgcheck build -c @CONTRACT@ -f @DOCKERFILE@ -t "@IMAGE@:$GIT_COMMIT" @CONTEXT@ \
                                --report junit=imgcheck.xml --report sarif=imgcheck.sarif --report html=imgcheck.html
                        ''')
                    }
                    if (status != 0) {
                        error("imgcheck ended with ${status}")
                    }
                }
            }
            post {
                always {
                    junit testResults: 'imgcheck.xml', allowEmptyResults: true
                    archiveArtifacts artifacts: 'imgcheck.*', allowEmptyArchive: true
                }
            }
        }
    }
}
